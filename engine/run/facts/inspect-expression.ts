import type { ASTNode } from '@marcbachmann/cel-js';
import type { Scope } from '../../expressions/at.js';
import { evaluate, valueOf } from '../../expressions/evaluate.js';
import { ofTruth } from '../../expressions/between.js';
import { isHidden } from '../../expressions/hidden.js';
import { resolve } from '../../expressions/names.js';
import type { Outcome } from '../../expressions/value.js';
import { expressionScope } from '../../language/condition.js';
import type { HttpAnswer } from '../../facts/http.js';
import { checksUsed } from '../../terms/checks-used.js';
import { expressionsOf } from '../../terms/condition.js';
import { nameOrigin } from './name-origin.js';
import { recordFrom } from './record-from.js';
import type { Run } from '../run.js';
import { scopeOf, type Failure } from './scope.js';
import { lookupBy, resolveFacts } from './resolve-facts.js';

/** A name that an expression read. */
export interface NameRead {
  readonly path: readonly string[];
  /** Of a macro's host; absent: of the host at hand. */
  readonly host?: string;
  readonly outcome: Outcome;
  /** A named check's own reason. */
  readonly because?: string;
  /** Where a fact, a version or a service was read; absent for what is written in a file. */
  readonly origin?: string;
}

/** What an expression comes to, and from what. */
export interface Inspection {
  readonly outcome: Outcome;
  /** It is made from a value that is never shown. */
  readonly isHidden: boolean;
  /** Of a truth, in one line. */
  readonly because?: string;
  readonly names: readonly NameRead[];
  /** Hosts and endpoints that could not be reached. */
  readonly unreachable: readonly string[];
}

/** Reads what an expression needs and evaluates it, on a host when one is given. It only reads. */
export async function inspectExpression(
  run: Run,
  { ast, text }: { readonly ast: ASTNode; readonly text: string },
  host?: string,
): Promise<Inspection> {
  await readPrevious(run, text, host);
  return resolveFacts(run, (lookup) => {
    const failures: Failure[] = [];
    const unreachable = new Set<string>();
    const watched = lookupBy((ref) => {
      const reading = lookup(ref);
      const answer =
        'known' in reading && reading.known && ref.fact === 'http' ? (reading.value as HttpAnswer) : undefined;
      if ('endpoint' in ref.of && answer?.is === 'unreachable') unreachable.add(ref.of.endpoint);
      if ('failed' in reading && reading.failed.why === 'unreachable' && 'host' in ref.of) unreachable.add(ref.of.host);
      return reading;
    });
    const position = host === undefined ? {} : { host };
    const scope = scopeOf(run, position, watched, failures);
    const names = new Map<string, NameRead>();
    const traced = traceNames(expressionScope(scope), (read) => {
      const origin = nameOrigin(run, read.path, { host: read.host ?? host, scope, lookup: watched });
      names.set(`${read.path.join('.')} ${read.host ?? ''}`, { ...read, ...(origin === undefined ? {} : { origin }) });
    });
    const outcome = valueOf(ast, traced);
    const isTruth = outcome.is === 'value' && typeof outcome.value === 'boolean';
    const because = isTruth ? evaluate(ast, traced).because : undefined;
    return {
      outcome,
      isHidden: isHidden(ast, { hidden: new Set() }),
      ...(because === undefined ? {} : { because }),
      names: [...names.values()],
      unreachable: [...unreachable],
    };
  });
}

/** The versions before an upgrade are recorded as a run records them at its start, where the expression reads them. */
async function readPrevious(run: Run, text: string, host: string | undefined): Promise<void> {
  const { checks } = run.project.platform;
  const texts = [text, ...checksUsed([text], checks).flatMap((name) => expressionsOf(checks[name]?.that))];
  if (!texts.some((one) => /\bprevious\b/.test(one))) return;
  const ofMany = texts.some((one) => /\b(?:all_)?hosts\b/.test(one));
  await recordFrom(run, ofMany || host === undefined ? undefined : [host]);
}

/** The same scope, which reports each name that is looked up and what it leads to. */
function traceNames(scope: Scope, onRead: (read: Omit<NameRead, 'origin'>) => void): Scope {
  const on = (host: string | undefined): { readonly host?: string } => (host === undefined ? {} : { host });
  return {
    typeOf: (path) => scope.typeOf(path),
    get(path, host) {
      const found = host === undefined ? scope.get(path) : scope.get(path, host);
      onRead({ path, ...on(host), outcome: resolve(path, { ...scope, get: () => found }, new Map()) });
      return found;
    },
    hosts(root, name) {
      const hosts = scope.hosts(root, name);
      if (hosts !== undefined) onRead({ path: [root, name], outcome: { is: 'value', value: hosts } });
      return hosts;
    },
    check(name, host) {
      const truth = host === undefined ? scope.check(name) : scope.check(name, host);
      if (truth !== undefined) onRead({ path: [name], ...on(host), outcome: ofTruth(truth), because: truth.because });
      return truth;
    },
  };
}
