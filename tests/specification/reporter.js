// A Jest reporter: keeps which tests of each file passed, for docs/specification.md.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { partOf, stampOf } from './stamp.js';

const root = path.resolve(import.meta.dirname, '../..');

export default class {
  #stamps = new Map();

  /** As it was when its tests began: a playbook may be altered meanwhile. */
  onTestFileStart(test) {
    this.#stamps.set(test.path, stampOf(root, path.relative(root, test.path)));
  }

  onTestFileResult(test, { testResults, testExecError }) {
    const testFile = path.relative(root, test.path);
    const file = partOf(root, 'passed', testFile);
    const stamp = this.#stamps.get(test.path) ?? stampOf(root, testFile);
    const ran = testResults.filter(({ status }) => status === 'passed' || status === 'failed');
    const names = new Set(ran.map(({ fullName }) => fullName));
    const passed = ran.filter(({ status }) => status === 'passed').map(({ fullName }) => fullName);
    // A part of the file may have run alone: the others' results still stand.
    const others = before(file, stamp).filter((name) => !names.has(name));
    const failed = testExecError != null || passed.length < ran.length;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify({ stamp, failed, passed: [...passed, ...others].sort() }, null, 1));
    renameSync(`${file}.new`, file);
  }
}

function before(file, stamp) {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    return kept.stamp === stamp ? kept.passed : [];
  } catch {
    return [];
  }
}
