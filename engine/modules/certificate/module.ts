import {
  certificate as certificateFact,
  publicKey,
  type CertificateFile,
  type KeyState,
} from '../../facts/certificate.js';
import { content, type FileContent } from '../../facts/file.js';
import { readable, type Readable } from '../../facts/readable.js';
import { blocked, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import { defineModule, type At, type More } from '../../terms/module.js';
import { checkPair, type FoundPair, type Pair } from './check.js';
import { timeLimitMs } from '../shared/time-limit.js';
import { readYaml } from '../shared/yaml-tree.js';
import type { Args } from './schema.js';

const MONTH_MS = 30 * 86_400_000;

/** What is asked of the two files, wherever their paths come from. */
interface PairNeeds {
  readonly [name: string]: Need;
  readonly certificate: Need<CertificateFile>;
  readonly key: Need<KeyState>;
}

/** With `in`, the configuration that names the two files; without it, the files. */
interface Asked extends PairNeeds {
  readonly config: Need<FileContent>;
}

export const certificate = defineModule<Args>()({
  name: 'certificate',
  needs: (args, at) =>
    (args.in === undefined
      ? needsOf(args, args, at)
      : { config: need(at.task.on, content, args.in) }) as unknown as Asked,
  onlyLooks: true,
  touches: () => [],
  decide(args, now, at, more) {
    if (args.in === undefined) return check(args, args, now, at);
    const named = pathsIn(args.in, args, now.config, args.relative_to);
    if ('is' in named) return named;
    return more === undefined
      ? { is: 'more', needs: needsOf(args, named, at) }
      : check(args, named, answersOf(more), at);
  },
});

interface Paths {
  readonly certificate: string;
  readonly key: string;
}

interface Answers {
  readonly certificate: CertificateFile;
  readonly key: KeyState;
  readonly certificate_readable?: Readable;
  readonly key_readable?: Readable;
}

const answersOf = (more: More): Answers => more as unknown as Answers;

function needsOf({ readable_by: user }: Args, { certificate: path, key }: Paths, { task }: At): PairNeeds {
  return {
    certificate: need(task.on, certificateFact, path),
    key: need(task.on, publicKey, key),
    ...(user === undefined
      ? {}
      : {
          certificate_readable: need(task.on, readable, { user, path }),
          key_readable: need(task.on, readable, { user, path: key }),
        }),
  };
}

function check(args: Args, paths: Paths, found: Answers, { timeMs }: At): Verdict {
  const pair: Pair = {
    certificate: paths.certificate,
    key: paths.key,
    validForMs: timeLimitMs(args.valid_for, 0),
    warnBelowMs: timeLimitMs(args.warn_below, MONTH_MS),
    ...(args.readable_by === undefined ? {} : { user: args.readable_by }),
  };
  const { certificate_readable: one, key_readable: other } = found;
  const both: FoundPair = {
    certificate: found.certificate,
    key: found.key,
    ...(one === undefined || other === undefined ? {} : { readable: { certificate: one, key: other } }),
  };
  return checkPair(pair, both, timeMs);
}

/** The two paths that a configuration gives under these keys, flat and nested ones being the same; or why it does not. */
function pathsIn(file: string, keys: Paths, found: FileContent, below?: string): Paths | Verdict {
  if (found === null) return blocked(`there is no ${file}`);
  const read = readYaml(found.text);
  if (read.is === 'wrong') return blocked(`${file}: ${read.reason}`, read.hint);
  const paths: string[] = [];
  for (const key of [keys.certificate, keys.key]) {
    const value = read.yaml.values.get(key);
    if (typeof value !== 'string' || value === '')
      return blocked(`${file} names no file under ${key}`, `say there which file it is: ${key}: /…`);
    if (!value.startsWith('/') && below === undefined)
      return blocked(`${key} in ${file} is "${value}", which is no absolute path`, 'write the whole path');
    paths.push(value.startsWith('/') ? value : `${below ?? ''}/${value}`);
  }
  const [certificate = '', key = ''] = paths;
  return { certificate, key };
}
