/** One data node's file system, in bytes. */
export interface NodeDisk {
  readonly node: string;
  readonly availBytes: number;
  readonly totalBytes: number;
}

const UNITS: Readonly<Record<string, number>> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40, p: 2 ** 50 };

/**
 * Whether a node's disk is at or over a watermark as the indexer writes it: a used share (`95%`, `0.95`), or what must stay free
 * (`10gb`). What cannot be read is not over.
 */
export function isOver({ availBytes, totalBytes }: NodeDisk, watermark: string): boolean {
  const usedPercent = 100 * (1 - availBytes / totalBytes);
  const [, percent] = /^([\d.]+)%$/.exec(watermark) ?? [];
  if (percent !== undefined) return usedPercent >= Number(percent);
  const [, free = '', unit = ''] = /^([\d.]+)([bkmgtp])b?$/i.exec(watermark) ?? [];
  if (unit !== '') return availBytes <= Number(free) * (UNITS[unit.toLowerCase()] ?? 1);
  return /^[\d.]+$/.test(watermark) && usedPercent >= Number(watermark) * 100;
}
