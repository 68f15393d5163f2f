import type { Serial } from '../../terms/playbook.js';

/** Hosts of one written size: a share of the whole is rounded up, so it never comes to none. */
function sizeOf(serial: Serial, count: number): number {
  const share = typeof serial === 'string' ? /^(\d+(?:\.\d+)?)%$/.exec(serial)?.[1] : undefined;
  // A thousandth of a host is an error of floating point (7% of 100 is 7.000000000000001), not one host more.
  const size = share === undefined ? Number(serial) : Math.ceil((Number(share) * count) / 100 - 1e-3);
  return Math.max(1, Number.isFinite(size) ? Math.floor(size) : 1);
}

/**
 * The sizes of a play's batches, in order; they sum to `count`. Absent: all at once. The last size written repeats; a per cent is of
 * all hosts of the play. What is no size counts as 1, the careful reading (the schema refuses it before).
 */
export function batches(count: number, serial: readonly Serial[] | undefined): readonly number[] {
  if (count <= 0) return [];
  if (serial === undefined || serial.length === 0) return [count];
  const sizes: number[] = [];
  for (let left = count; left > 0;) {
    const size = Math.min(left, sizeOf(serial[Math.min(sizes.length, serial.length - 1)] ?? 1, count));
    sizes.push(size);
    left -= size;
  }
  return sizes;
}
