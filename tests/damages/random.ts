/** A whole number below the limit; the same sequence for the same seed. */
export type Pick = (below: number) => number;

/** mulberry32 */
export function seededPick(seed: number): Pick {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
