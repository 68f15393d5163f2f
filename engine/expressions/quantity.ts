import { sizeBytes } from '../lib/bytes.js';
import { durationMs } from '../lib/duration.js';

const AMOUNTS = { Duration: durationMs, Size: sizeBytes } as const;
export type QuantityType = keyof typeof AMOUNTS;
export const isQuantityType = (type: unknown): type is QuantityType => type === 'Duration' || type === 'Size';

/** A duration or a size: compared by its amount (milliseconds, bytes), shown as it is written. `null`: the empty text, which is none. */
export class Quantity {
  constructor(
    readonly type: QuantityType,
    readonly text: string,
    readonly amount: number | null,
  ) {}
}

/** What a text means as a quantity; undefined when it is none. */
export function quantityOf(type: QuantityType, text: string): Quantity | undefined {
  const amount = text === '' ? null : AMOUNTS[type](text);
  return amount === undefined ? undefined : new Quantity(type, text, amount);
}

/** -1, 0 or 1; `null` when one of the two is the empty text, undefined when they have no order: minutes and bytes, or a text that is neither. */
export function compareQuantities(a: Quantity, b: unknown): number | null | undefined {
  const other = amountBeside(a, b);
  if (other === undefined) return undefined;
  return a.amount === null || other === null ? null : Math.sign(a.amount - other);
}

/** The amount of a value beside a quantity: of one of its type, of a text, and for a size of a number of bytes. */
function amountBeside({ type }: Quantity, other: unknown): number | null | undefined {
  if (other instanceof Quantity) return other.type === type ? other.amount : undefined;
  if (typeof other === 'string') return quantityOf(type, other)?.amount;
  return type === 'Size' && typeof other === 'number' ? other : undefined;
}
