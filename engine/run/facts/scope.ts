import { ANY } from '../../expressions/types.js';
import { packageState, type PackageState } from '../../facts/package.js';
import { stagedVersions } from '../../facts/package-staged.js';
import { service, type ServiceState } from '../../facts/service.js';
import { evaluate, type ConditionScope } from '../../language/condition.js';
import { render } from '../../language/templates/render.js';
import { defined } from '../../lib/defined.js';
import { getOrCreate } from '../../lib/get-or-create.js';
import type { Truth } from '../../terms/condition.js';
import { need, type Answer, type Cause, type Known, type Need } from '../../terms/fact.js';
import { isObject, type Json } from '../../terms/json.js';
import type { NamedCheck, Play } from '../../terms/playbook.js';
import type { Subject } from '../../terms/subject.js';
import type { DeclaredTypes } from '../../language/types/declared-types.js';
import { typesOf } from './declared-types.js';
import { dig, known, unknown, type Found } from './found.js';
import { endpointValue, hostsNamed, hostValue, merged, topmost, varsOf, type Layers } from './inventory-values.js';
import { readFact } from './platform-facts.js';
import { fromValue, registered } from './recorded-values.js';
import { isGivenUp, type Run } from '../run.js';
import type { Position } from '../position.js';
import type { FactLookup } from './resolve-facts.js';

/** A question that could not be answered; `of` whom it was asked. */
export type Failure = Extract<Answer, { is: 'failed' }> & { readonly of?: Subject };

/**
 * The names that templates and conditions may mention, resolved where they stand (docs/reference.md has the table).
 * A fact that could not be read is unknown here and noted in `failures`.
 */
export function scopeOf(run: Run, position: Position, lookup: FactLookup, failures: Failure[]): ConditionScope {
  const depth = { now: 0 };
  const at = (host: string | undefined): Position => (host === undefined ? position : { ...position, host });

  const get = (path: readonly string[], host?: string): Found => {
    const [head = '', ...rest] = path;
    const here = at(host);
    const local = here.local?.[head];
    if (local !== undefined) return dig(known(local), rest);
    const found = resolvers[head]?.(rest, here);
    if (found !== undefined) return found;
    const group = run.project.platform.names[head];
    return group === undefined ? 'missing' : written([run.project.inventory.names[head], group], rest, here);
  };

  /** A name whose value is written in a file: templates in it are rendered where it is used. The first layer that has it counts. */
  const written = (layers: Layers, path: readonly string[], here: Position): Found => {
    const [name, ...rest] = path;
    const value = name === undefined ? merged(layers) : topmost(layers, name);
    if (value === undefined) return 'missing';
    if (depth.now > 20) return unknown(`"${name ?? ''}" is defined by itself`);
    depth.now += 1;
    const rendered = render(value, { get: (p: readonly string[]) => get(p, here.host) });
    depth.now -= 1;
    if (rendered.is === 'wrong') return unknown(rendered.message);
    return rendered.is === 'unknown' ? unknownFor(rendered) : dig(known(rendered.value), rest);
  };

  const read = <V>(question: Need<V>): Known<V> => {
    const reading = lookup(question);
    if (!('failed' in reading)) return reading as Known<V>;
    failures.push({ ...reading.failed, of: question.of });
    return { known: false, because: reading.failed.reason, dependsOn: [] };
  };

  const installed = (component: string, here: Position): Found => {
    const name = get([component, 'package'], here.host);
    if (name === 'missing' || here.host === undefined) return 'missing';
    if (!name.known) return name;
    const state: Known<PackageState> = read(need({ host: here.host }, packageState, textOf(name.value)));
    return state.known ? known(state.value.installed) : state;
  };

  /** The version that the play leads to here; where it installs none, the one that is installed. */
  const next = (component: string, here: Position): Found => {
    const play = here.play ?? here.within;
    const step = play?.leadsTo?.[component];
    if (play === undefined || step === undefined) return installed(component, here);
    const version = isObject(step.args) ? (step.args['version'] ?? null) : null;
    const rendered = render(version, scopeOf(run, { ...here, play, step }, lookup, failures));
    if (rendered.is === 'wrong') return unknown(rendered.message);
    if (rendered.is === 'unknown') return unknownFor(rendered);
    // Nothing is installed where nothing is recorded that could be.
    return rendered.value === null || rendered.value === '' ? installed(component, here) : known(rendered.value);
  };

  /** Versions of its package that lie on the host, to be installed without a repository. */
  const staged = (component: string, here: Position): Found => {
    const name = get([component, 'package'], here.host);
    if (name === 'missing' || here.host === undefined) return 'missing';
    return name.known ? read(need({ host: here.host }, stagedVersions, textOf(name.value))) : name;
  };

  /** Did the component's service start before its package last changed? A package that is new beside a process that is old is not an upgrade. */
  const isOutdated = (component: string, here: Position): Found => {
    const [unit, name] = [get([component, 'service'], here.host), get([component, 'package'], here.host)];
    if (unit === 'missing' || name === 'missing' || here.host === undefined) return 'missing';
    if (!unit.known || !name.known) return unit.known ? name : unit;
    const running: Known<ServiceState> = read(need({ host: here.host }, service, textOf(unit.value)));
    const installed: Known<PackageState> = read(need({ host: here.host }, packageState, textOf(name.value)));
    if (!running.known || !installed.known) return running.known ? unknownFor(installed as Cause) : unknownFor(running);
    return known(running.value.startedAtMs === null || running.value.startedAtMs < (installed.value.changedAtMs ?? 0));
  };

  const resolvers: Readonly<Record<string, (path: readonly string[], here: Position) => Found>> = {
    platform: (path, here) => written([run.project.inventory.platform], path, here),
    vars: (path, here) => written(varsOf(run, here), path, here),
    host: (path, here) => hostValue(run, path, here),
    secret: ([name = '']) =>
      Object.hasOwn(run.project.inventory.secrets, name) ? known({ $secret: name }) : 'missing',
    // Neither counted nor waited for: hosts that were given up.
    all_hosts: ([name = '', ...rest]) =>
      dig(known(hostsNamed(run, name).filter((host) => !isGivenUp(run, host))), rest),
    run: (path) => dig(known({ id: run.journal.state.run ?? '' }), path),
    registered: (path, here) => registered(run, path, here),
    previous: ([component = ''], here) => fromValue(run, component, here) ?? installed(component, here),
    installed: ([component = ''], here) => installed(component, here),
    next: ([component = ''], here) => next(component, here),
    needs_restart: ([component = ''], here) => isOutdated(component, here),
    staged: ([component = ''], here) => staged(component, here),
    endpoint: ([name = '', ...rest]) => endpointValue(run, name, rest),
    fact: ([name = '', ...rest], here) => {
      const fact = run.project.platform.facts[name];
      if (fact === undefined) return 'missing';
      const value = readFact(fact, { host: here.host, get: (p) => get(p, here.host), read });
      return within(value, name, rest);
    },
  };

  const check = (name: string, host = position.host): Truth | undefined => {
    const checked = checkedOnce(run, name, { host, within: position.play ?? position.within }, lookup);
    failures.push(...(checked?.failures ?? []));
    return checked?.truth;
  };

  let types: DeclaredTypes | undefined;
  return {
    get,
    check,
    typeOf: (path) =>
      position.local?.[path[0] ?? ''] === undefined ? (types ??= typesOf(run.project).at(position)).typeOf(path) : ANY,
    hosts: (name: string, limited: boolean) =>
      hostsNamed(run, name)
        .filter((host) => !limited || run.options.limit?.has(host) !== false)
        // A host that the run does without answers nothing, and nothing is to hang on it.
        .filter((host) => !run.journal.state.leftOut.has(host)),
  };
}

interface Checked {
  readonly truth: Truth;
  readonly failures: readonly Failure[];
}
interface CheckedAt {
  readonly host: string | undefined;
  readonly within: Play | undefined;
}
/** By the look at the facts, the host and the check: within one look no fact changes, so a check is evaluated once on each host. */
const checkedBefore = new WeakMap<FactLookup, Map<string, Checked>>();

/** The truth of a named check on a host; undefined where there is no such check. One that names itself has been refused by `validate`. */
function checkedOnce(run: Run, name: string, at: CheckedAt, lookup: FactLookup): Checked | undefined {
  const it = run.project.platform.checks[name];
  if (it?.that === undefined) return undefined;
  const { that, description } = it;
  const before = getOrCreate(checkedBefore, lookup, () => new Map<string, Checked>());
  return getOrCreate(before, `${name} ${at.host ?? ''}`, () => checkNow(run, { that, description }, at, lookup));
}

function checkNow(
  run: Run,
  { that, description }: Required<Pick<NamedCheck, 'that' | 'description'>>,
  at: CheckedAt,
  lookup: FactLookup,
): Checked {
  const failures: Failure[] = [];
  const truth = evaluate(that, scopeOf(run, defined(at), lookup, failures));
  // What holds is said in words; what does not shows the values that are in the way.
  return { truth: truth.is === true ? { is: true, because: description } : truth, failures };
}

/** A text where JSON is due (a page of a balancer), a list that is still short: these may pass. A name that JSON lacks leads nowhere. */
function within(value: Known<Json>, name: string, path: readonly string[]): Found {
  const found = dig(value, path);
  const mayCome = value.known && (typeof value.value !== 'object' || path.some((p) => /^\d+$/.test(p)));
  return found === 'missing' && mayCome ? unknown(`fact.${name} holds no ${path.join('.')} now`) : found;
}

const unknownFor = (cause: Cause): Known<Json> => ({
  known: false,
  because: cause.because,
  dependsOn: cause.dependsOn,
});

/** A name that is written in a file; anything but text is shown as JSON, and leads nowhere. */
const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
