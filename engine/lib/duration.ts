const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a written duration (`500ms`, `30s`, `1.5h`, `1h30m`); undefined when it is none. */
export function durationMs(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  const total = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitsMs[unit ?? ''] ?? Number.NaN), 0);
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : undefined;
}

const two = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${restUnit}`;

/** Milliseconds for people, to the two largest units: `500 ms`, `12 s`, `2 min 5 s`, `1 h 30 min`, `3 d 4 h`. */
export function showDuration(ms: number): string {
  if (ms < 0) return `-${showDuration(-ms)}`;
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return two(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}
