import { plain, typeName } from '../expressions/plain.js';
import type { Outcome } from '../expressions/value.js';
import type { LoadedPlatform } from './options/project.js';
import { secretName } from '../lib/secret-name.js';
import { masked } from '../modules/shared/mask.js';
import type { Evaluated, EvaluatedName, Evaluation } from '../report/checks/eval-view.js';
import { cut } from '../report/width.js';
import type { Inspection, NameRead } from '../run/facts/inspect-expression.js';
import { isObject, type Json } from '../terms/json.js';

const LONGEST = 200;

interface Around {
  readonly host: string | undefined;
  readonly placeOf: LoadedPlatform['placeOf'];
  /** Takes the values of known secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** What `eval` shows of an inspection: plain data, from which secrets have been removed. */
export function evaluationOf(expression: string, inspection: Inspection, around: Around): Evaluation {
  const { host, redact } = around;
  const { outcome, because, names } = inspection;
  const clean = (text: string): string => redact(masked(text));
  const reason = because ?? whyNot(outcome);
  return {
    expression: clean(expression),
    ...(host === undefined ? {} : { host }),
    result: resultOf(outcome, inspection.isHidden ? 'password' : '', clean),
    ...(reason === undefined ? {} : { reason: clean(reason) }),
    names: names.map((name) => nameOf(name, around, clean)),
  };
}

function nameOf(read: NameRead, { host, placeOf }: Around, clean: Show): EvaluatedName {
  const { path, outcome } = read;
  const reason = read.because ?? whyNot(outcome);
  const source =
    read.because === undefined ? (read.origin ?? written(path, placeOf, read.host ?? host)) : 'named check';
  return {
    name: path.join('.'),
    ...(read.host === undefined ? {} : { host: read.host }),
    result: resultOf(outcome, path.find((name) => secretName.test(name)) ?? '', clean),
    ...(reason === undefined ? {} : { reason: clean(reason) }),
    ...(source === undefined ? {} : { source: clean(source) }),
  };
}

/** `group berlin, inventory.yaml:23`. */
function written(path: readonly string[], placeOf: Around['placeOf'], host: string | undefined): string | undefined {
  const name = path.slice(0, path[0] === 'host' ? 3 : 2).join('.');
  const place = placeOf(name, host);
  if (place === undefined) return undefined;
  const { layer, file, line } = place;
  return [layer, ...(file === undefined ? [] : [`${file}${line === undefined ? '' : `:${line}`}`])].join(', ');
}

type Show = (text: string) => string;

function resultOf(outcome: Outcome, key: string, clean: Show): Evaluated {
  if (outcome.is === 'wrong') return { is: 'mistake' };
  if (outcome.is !== 'value') return { is: 'unknown' };
  return { is: 'value', value: withoutSecrets(plain(outcome.value), key, clean), type: typeName(outcome.value) };
}

function whyNot(outcome: Outcome): string | undefined {
  switch (outcome.is) {
    case 'value':
      return undefined;
    case 'wrong':
      return cut(outcome.reason, LONGEST);
    case 'unknown':
      return cut(outcome.because, LONGEST);
  }
}

/** A value without known secrets, and without what a host keeps below a key such as `password`. */
function withoutSecrets(value: Json, key: string, clean: Show): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => withoutSecrets(one, key, clean));
  if (isObject(value))
    return Object.fromEntries(
      // Below a name such as `password` all is hidden.
      Object.entries(value).map(([name, inner]) => [
        clean(name),
        withoutSecrets(inner, secretName.test(key) ? key : name, clean),
      ]),
    );
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const assigned = `${key}: ${String(value)}`;
  if (masked(assigned) !== assigned) return '[hidden]';
  return typeof value === 'string' ? clean(value) : value;
}
