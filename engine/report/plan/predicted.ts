import type { Change } from '../../terms/change.js';
import { isObject, type JsonObject } from '../../terms/json.js';

/** What a fact of a host will read after a change, such as the state of a package or of a service. */
interface Predicted {
  readonly host: string;
  /** Which one: the name of the package, the unit of the service. */
  readonly name: string;
  readonly value: JsonObject;
}

/** The facts of this kind that a change alters on hosts, where it is known how. */
export const predictedOn = ({ predicts }: Change, fact: string): readonly Predicted[] =>
  predicts.flatMap((p) =>
    p.ref.fact === fact && 'host' in p.ref.of && 'value' in p && isObject(p.value)
      ? [{ host: p.ref.of.host, name: p.ref.key, value: p.value }]
      : [],
  );
