import {
  certificate as certificateFact,
  publicKey,
  type CertificateFile,
  type KeyState,
} from '../../facts/certificate.js';
import { content, type FileContent } from '../../facts/file.js';
import { readable, type Readable } from '../../facts/readable.js';
import { ok, type Verdict } from '../../terms/change.js';
import { need, type Need, type Needs } from '../../terms/fact.js';
import { defineModule, type At, type More } from '../../terms/module.js';
import { checkAuthorities, checkPair, wrongSigner, type Authority, type FoundPair, type Pair } from './check.js';
import { pathsIn, type Paths } from './config-paths.js';
import { certificateNeeds, checkServers, configNeeds, serversIn } from './servers.js';
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
    if (more === undefined) return { is: 'more', needs: { ...needsOf(args, named, at), ...configNeeds(args) } };
    const own = check(args, named, answersOf(more), at);
    if (own.is !== 'ok' || args.servers === undefined || now.config === null) return own;
    const servers = serversIn(args.servers, more);
    const needs = certificateNeeds(servers);
    if (Object.keys(needs).some((name) => !Object.hasOwn(more, name))) return { is: 'more', needs };
    const client = {
      host: 'host' in at.task.on ? at.task.on.host : '',
      config: now.config.text,
      authorities: authoritiesOf(named.authorities, answersOf(more)),
    };
    const { wrong, warnings } = checkServers(args, client, servers, more);
    return wrong ?? { ...own, warnings: [...(own.warnings ?? []), ...warnings] };
  },
});

interface Answers {
  readonly certificate: CertificateFile;
  readonly key: KeyState;
  readonly certificate_readable?: Readable;
  readonly key_readable?: Readable;
}

const plainPaths = ({ certificate: path, key }: Args): Paths => ({ pair: { certificate: path, key }, authorities: [] });

const answersOf = (more: More): Answers => more as unknown as Answers;

function needsOf(args: Args, { pair, authorities }: Paths, at: At): Needs {
  return {
    ...(pair === undefined ? {} : pairNeeds(args, pair, at)),
    ...Object.fromEntries(authorities.flatMap((each) => authorityNeeds(args, each, at))),
  };
}

type PairPaths = NonNullable<Paths['pair']>;

function pairNeeds({ readable_by: user }: Args, { certificate: path, key }: PairPaths, { task }: At): PairNeeds {
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

const authorityNeeds = ({ readable_by: user }: Args, path: string, { task }: At): readonly [string, Need][] => [
  [`authority ${path}`, need(task.on, certificateFact, path)],
  ...(user === undefined ? [] : [[`readable ${path}`, need(task.on, readable, { user, path })] as [string, Need]]),
];

function authoritiesOf(paths: readonly string[], found: Answers): readonly Authority[] {
  const answers = found as unknown as Readonly<Record<string, unknown>>;
  return paths.map((path) => ({
    path,
    certificate: (answers[`authority ${path}`] ?? null) as CertificateFile,
    readable: (answers[`readable ${path}`] ?? 'yes') as Readable,
  }));
}

function check(args: Args, paths: Paths, found: Answers, { timeMs }: At): Verdict {
  const authorities = authoritiesOf(paths.authorities, found);
  const wrong = checkAuthorities(authorities, timeMs, args.readable_by);
  if (wrong !== undefined) return wrong;
  if (paths.pair === undefined)
    return ok(
      `${args.in ?? ''} names no certificate of its own${authorities.map((a) => `; ${a.path} is valid`).join('')}`,
    );
  const pair: Pair = {
    ...paths.pair,
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
  return (args.signed === true ? wrongSigner(pair, both, authorities) : undefined) ?? checkPair(pair, both, timeMs);
}
