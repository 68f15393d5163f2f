/** `1 host`, `2 hosts`, `3 copies`: `many` where the plural is not `one` and an s. */
export const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;
