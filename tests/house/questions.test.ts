import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../playbooks/', import.meta.url));

interface Question {
  readonly question: string;
  readonly answered?: string;
}

/** Each `confirm` at any depth of a playbook. */
function questionsIn(node: unknown): readonly Question[] {
  if (Array.isArray(node)) return node.flatMap(questionsIn);
  if (node === null || typeof node !== 'object') return [];
  return Object.entries(node).flatMap(([key, value]) => (key === 'confirm' ? [value as Question] : questionsIn(value)));
}

test('each question of a shipped playbook has a variable that answers it, and says which', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  const questions = files.flatMap((file) => questionsIn(parse(readFileSync(path.join(root, file), 'utf8'))));
  expect(questions.length).toBeGreaterThan(10);
  for (const { question, answered = '' } of questions) {
    const [, variable, value = 'true'] = /^vars\.(\w+)(?: == "(\w+)")?$/.exec(answered) ?? [];
    expect(question).toContain(`(-e ${variable}=${value} answers yes)`);
  }
});
