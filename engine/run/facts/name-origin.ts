import type { ConditionScope } from '../../language/condition.js';
import type { Known, Need } from '../../terms/fact.js';
import { factOrigin } from './platform-facts.js';
import type { Run } from '../run.js';
import type { FactLookup } from './resolve-facts.js';

interface Place {
  readonly host: string | undefined;
  readonly scope: ConditionScope;
  readonly lookup: FactLookup;
}

/** Where the value of a name is read, in words; undefined for what an inventory, a platform file or -e says. */
export function nameOrigin(run: Run, [root = '', name = '']: readonly string[], place: Place): string | undefined {
  const { host = '' } = place;
  switch (root) {
    case 'fact':
      return ofFact(run, name, place);
    case 'installed':
      return `package ${textOf(name, 'package', place)} on ${host}`;
    case 'next':
      return `what this play installs on ${host}, else package ${textOf(name, 'package', place)} there`;
    case 'previous':
      return `package ${textOf(name, 'package', place)} on ${host}, before its upgrade`;
    case 'staged':
      return `versions of package ${textOf(name, 'package', place)} kept on ${host}`;
    case 'needs_restart':
      return `unit ${textOf(name, 'service', place)} and package ${textOf(name, 'package', place)} on ${host}`;
    case 'host':
      return name === 'vars' ? undefined : `inventory, host ${host}`;
    case 'hosts':
    case 'all_hosts':
      return `inventory, hosts of role or group ${name}`;
    case 'endpoint':
      return `inventory, endpoint ${name}`;
    default:
      return undefined;
  }
}

function ofFact(run: Run, name: string, { host, scope, lookup }: Place): string | undefined {
  const fact = run.project.platform.facts[name];
  if (fact === undefined) return undefined;
  const get: ConditionScope['get'] = (path) => (host === undefined ? scope.get(path) : scope.get(path, host));
  return factOrigin(fact, { host, get, read: <V>(question: Need<V>) => knownOf(lookup, question) });
}

/** A question that could not be answered is unknown. */
function knownOf<V>(lookup: FactLookup, question: Need<V>): Known<V> {
  const reading = lookup(question);
  if ('failed' in reading) return { known: false, because: reading.failed.reason, dependsOn: [] };
  return reading as Known<V>;
}

/** A name of a component, as `postgresql`; the component's own while it is not known. */
function textOf(component: string, key: string, { host, scope }: Place): string {
  const found = host === undefined ? scope.get([component, key]) : scope.get([component, key], host);
  return found !== 'missing' && found.known && typeof found.value === 'string' ? found.value : component;
}
