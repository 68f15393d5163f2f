import {
  certificate as certificateFact,
  publicKey,
  type CertificateFile,
  type KeyState,
} from '../../facts/certificate.js';
import { content, type FileContent } from '../../facts/file.js';
import { readable, type Readable } from '../../facts/readable.js';
import type { Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import { defineModule, type At, type More } from '../../terms/module.js';
import { checkAuthorities, checkPair, type FoundPair, type Pair } from './check.js';
import { pathsIn, type Paths } from './config-paths.js';
import { timeLimitMs } from '../shared/time-limit.js';
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
      ? needsOf(args, plainPaths(args), at)
      : { config: need(at.task.on, content, args.in) }) as unknown as Asked,
  onlyLooks: true,
  touches: () => [],
  decide(args, now, at, more) {
    if (args.in === undefined) return check(args, plainPaths(args), now, at);
    const named = pathsIn(args.in, args, now.config);
    if ('is' in named) return named;
    return more === undefined
      ? { is: 'more', needs: needsOf(args, named, at) }
      : check(args, named, answersOf(more), at);
  },
});

interface Answers {
  readonly certificate: CertificateFile;
  readonly key: KeyState;
  readonly certificate_readable?: Readable;
  readonly key_readable?: Readable;
}

const plainPaths = ({ certificate: path, key }: Args): Paths => ({ certificate: path, key, authorities: [] });

const answersOf = (more: More): Answers => more as unknown as Answers;

function needsOf({ readable_by: user }: Args, { certificate: path, key, authorities }: Paths, { task }: At): PairNeeds {
  return {
    certificate: need(task.on, certificateFact, path),
    key: need(task.on, publicKey, key),
    ...Object.fromEntries(authorities.map((each) => [authorityKey(each), need(task.on, certificateFact, each)])),
    ...(user === undefined
      ? {}
      : {
          certificate_readable: need(task.on, readable, { user, path }),
          key_readable: need(task.on, readable, { user, path: key }),
        }),
  };
}

const authorityKey = (path: string): string => `authority ${path}`;

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
  const authorities = paths.authorities.map((path) => ({
    path,
    certificate: (found as unknown as Readonly<Record<string, CertificateFile>>)[authorityKey(path)] ?? null,
  }));
  return checkAuthorities(authorities, timeMs) ?? checkPair(pair, both, timeMs);
}
