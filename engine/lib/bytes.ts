const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Bytes of a written size (`500MB`, `1.5 GiB`, `0B`); undefined when it is none. */
export function sizeBytes(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([kKMGT]i?B|B)$/.exec(text) ?? [];
  const factor = UNITS[unit];
  return amount === undefined || factor === undefined ? undefined : Math.round(Number(amount) * factor);
}

/** Bytes for people, in powers of ten with at most one place: `870 MB`, `1.2 GB`, `999 B`. */
export function showBytes(bytes: number): string {
  const unit = (['TB', 'GB', 'MB', 'kB'] as const).find((u) => bytes >= (UNITS[u] ?? 1));
  if (unit === undefined) return `${Math.round(bytes)} B`;
  return `${Number((Math.floor((bytes / (UNITS[unit] ?? 1)) * 10) / 10).toFixed(1))} ${unit}`;
}
