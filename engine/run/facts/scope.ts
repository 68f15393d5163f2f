import { ANY, type NameType } from '../../expressions/types.js';
import { packageState, type PackageState } from '../../facts/package.js';
import { stagedVersions } from '../../facts/package-staged.js';
import { service, type ServiceState } from '../../facts/service.js';
import { evaluate, type ConditionScope } from '../../language/condition.js';
import { render } from '../../language/templates/render.js';
import { defined } from '../../lib/defined.js';
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
export const scopeOf = (run: Run, position: Position, lookup: FactLookup, failures: Failure[]): ConditionScope =>
  new NameScope(run, position, lookup, failures);

/** One is made for each step that is looked at: its methods are shared. */
class NameScope implements ConditionScope {
  #depth = 0;
  #types: DeclaredTypes | undefined;

  constructor(
    readonly run: Run,
    readonly position: Position,
    readonly lookup: FactLookup,
    readonly failures: Failure[],
  ) {}

  get(path: readonly string[], host?: string): Found {
    const { run, position } = this;
    const [head = '', ...rest] = path;
    const here = host === undefined || host === position.host ? position : { ...position, host };
    const local = here.local?.[head];
    if (local !== undefined) return dig(known(local), rest);
    const found = Object.hasOwn(RESOLVERS, head) ? RESOLVERS[head]?.(this, rest, here) : undefined;
    if (found !== undefined) return found;
    const group = run.project.platform.names[head];
    return group === undefined ? 'missing' : this.written([run.project.inventory.names[head], group], rest, here);
  }

  check(name: string, host = this.position.host): Truth | undefined {
    const { run, position, lookup } = this;
    const checked = checkedOnce(run, name, { host, within: position.play ?? position.within }, lookup);
    if (checked !== undefined) this.failures.push(...checked.failures);
    return checked?.truth;
  }

  typeOf(path: readonly string[]): NameType {
    const { run, position } = this;
    if (position.local?.[path[0] ?? ''] !== undefined) return ANY;
    return (this.#types ??= typesOf(run.project).at(position)).typeOf(path);
  }

  hosts(name: string, limited: boolean): readonly string[] {
    const { options, journal } = this.run;
    return (
      hostsNamed(this.run, name)
        .filter((host) => !limited || options.limit?.has(host) !== false)
        // A host that the run does without answers nothing, and nothing is to hang on it.
        .filter((host) => !journal.state.leftOut.has(host))
    );
  }

  /** A name whose value is written in a file: templates in it are rendered where it is used. The first layer that has it counts. */
  written(layers: Layers, path: readonly string[], here: Position): Found {
    const [name, ...rest] = path;
    const value = name === undefined ? merged(layers) : topmost(layers, name);
    if (value === undefined) return 'missing';
    if (this.#depth > 20) return unknown(`"${name ?? ''}" is defined by itself`);
    this.#depth += 1;
    const rendered = render(value, { get: (p: readonly string[]) => this.get(p, here.host) });
    this.#depth -= 1;
    if (rendered.is === 'wrong') return unknown(rendered.message);
    return rendered.is === 'unknown' ? unknownFor(rendered) : dig(known(rendered.value), rest);
  }

  read<V>(question: Need<V>): Known<V> {
    const reading = this.lookup(question);
    if (!('failed' in reading)) return reading as Known<V>;
    this.failures.push({ ...reading.failed, of: question.of });
    return { known: false, because: reading.failed.reason, dependsOn: [] };
  }

  /** A name of a component on the host at hand: of its package or its service. */
  named(component: string, what: 'package' | 'service', { host }: Position): Named {
    const name = this.get([component, what], host);
    if (name === 'missing' || host === undefined) return 'missing';
    return name.known ? { host, name: textOf(name.value) } : name;
  }

  installed(component: string, here: Position): Found {
    const named = this.named(component, 'package', here);
    if (named === 'missing' || 'known' in named) return named;
    const state: Known<PackageState> = this.read(need({ host: named.host }, packageState, named.name));
    return state.known ? known(state.value.installed) : state;
  }

  /** The version that the play leads to here; where it installs none, the one that is installed. */
  next(component: string, here: Position): Found {
    const play = here.play ?? here.within;
    const step = play?.leadsTo?.[component];
    if (play === undefined || step === undefined) return this.installed(component, here);
    const version = isObject(step.args) ? (step.args['version'] ?? null) : null;
    const rendered = render(version, scopeOf(this.run, { ...here, play, step }, this.lookup, this.failures));
    if (rendered.is === 'wrong') return unknown(rendered.message);
    if (rendered.is === 'unknown') return unknownFor(rendered);
    // Nothing is installed where nothing is recorded that could be.
    const isNone = rendered.value === null || rendered.value === '';
    return isNone ? this.installed(component, here) : known(rendered.value);
  }

  /** Versions of its package that lie on the host, to be installed without a repository. */
  staged(component: string, here: Position): Found {
    const named = this.named(component, 'package', here);
    if (named === 'missing' || 'known' in named) return named;
    return this.read(need({ host: named.host }, stagedVersions, named.name));
  }

  /** Did the component's service start before its package last changed? A package that is new beside a process that is old is not an upgrade. */
  isOutdated(component: string, here: Position): Found {
    const unit = this.named(component, 'service', here);
    const named = this.named(component, 'package', here);
    if (unit === 'missing' || named === 'missing') return 'missing';
    if ('known' in unit || 'known' in named) return 'known' in unit ? unit : (named as Found);
    const running: Known<ServiceState> = this.read(need({ host: unit.host }, service, unit.name));
    const installed: Known<PackageState> = this.read(need({ host: named.host }, packageState, named.name));
    if (!running.known || !installed.known) return running.known ? unknownFor(installed as Cause) : unknownFor(running);
    return known(running.value.startedAtMs === null || running.value.startedAtMs < (installed.value.changedAtMs ?? 0));
  }

  fact([name = '', ...rest]: readonly string[], { host }: Position): Found {
    const fact = this.run.project.platform.facts[name];
    if (fact === undefined) return 'missing';
    const value = readFact(fact, { host, get: (p) => this.get(p, host), read: (question) => this.read(question) });
    return within(value, name, rest);
  }
}

type Named = { readonly host: string; readonly name: string } | Exclude<Found, { readonly known: true }>;

/** The names by their root. */
const RESOLVERS: Readonly<Record<string, (scope: NameScope, path: readonly string[], here: Position) => Found>> = {
  platform: (scope, path, here) => scope.written([scope.run.project.inventory.platform], path, here),
  vars: (scope, path, here) => scope.written(varsOf(scope.run, here), path, here),
  host: ({ run }, path, here) => hostValue(run, path, here),
  secret: ({ run }, [name = '']) =>
    Object.hasOwn(run.project.inventory.secrets, name) ? known({ $secret: name }) : 'missing',
  // Neither counted nor waited for: hosts that were given up.
  all_hosts: ({ run }, [name = '', ...rest]) =>
    dig(known(hostsNamed(run, name).filter((host) => !isGivenUp(run, host))), rest),
  run: ({ run }, path) => dig(known({ id: run.journal.state.run ?? '' }), path),
  registered: ({ run }, path, here) => registered(run, path, here),
  previous: (scope, [component = ''], here) =>
    fromValue(scope.run, component, here) ?? scope.installed(component, here),
  installed: (scope, [component = ''], here) => scope.installed(component, here),
  next: (scope, [component = ''], here) => scope.next(component, here),
  needs_restart: (scope, [component = ''], here) => scope.isOutdated(component, here),
  staged: (scope, [component = ''], here) => scope.staged(component, here),
  endpoint: ({ run }, [name = '', ...rest]) => endpointValue(run, name, rest),
  fact: (scope, path, here) => scope.fact(path, here),
};

interface Checked {
  readonly truth: Truth;
  readonly failures: readonly Failure[];
}
interface CheckedAt {
  readonly host: string | undefined;
  readonly within: Play | undefined;
}

/** The truth of a named check on a host; undefined where there is no such check. One that names itself has been refused by `validate`. */
function checkedOnce(run: Run, name: string, at: CheckedAt, lookup: FactLookup): Checked | undefined {
  const it = run.project.platform.checks[name];
  if (it?.that === undefined) return undefined;
  const { that, description } = it;
  return lookup.once(`${name} ${at.host ?? ''}`, () => checkNow(run, { that, description }, at, lookup));
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
