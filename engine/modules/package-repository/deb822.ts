import type { Entry, ReadEntries } from './entry.js';

/** Stanzas of fields (deb822): `Enabled` is yes where it is left out. */
export const aptStanzas: ReadEntries = (lines) => {
  const entries: Entry[] = [];
  let start = 0;
  for (const [at, line] of [...lines, ''].entries()) {
    if (line.trim() !== '') continue;
    entries.push(...stanza(lines, start, at));
    start = at + 1;
  }
  return entries;
};

function stanza(lines: readonly string[], start: number, end: number): readonly Entry[] {
  const fields = new Map<string, { readonly at: number; readonly value: string }>();
  let last = '';
  for (let at = start; at < end; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('#')) continue;
    const [, name, value = ''] = /^([A-Za-z0-9-]+):(.*)$/.exec(line.trimEnd()) ?? [];
    if (name !== undefined) fields.set((last = name.toLowerCase()), { at, value });
    else if (/^\s/.test(line)) {
      const before = fields.get(last);
      if (before !== undefined) fields.set(last, { ...before, value: `${before.value} ${line}` });
    }
  }
  const words = (name: string): readonly string[] =>
    (fields.get(name)?.value ?? '').split(/\s+/).filter((w) => w !== '');
  if (!words('types').includes('deb')) return [];
  const enabled = fields.get('enabled');
  const first = fields.get('types')?.at ?? start;
  const lineEnd = (lines[first] ?? '').endsWith('\r') ? '\r' : '';
  const wanted = (on: boolean): string => `Enabled: ${on ? 'yes' : 'no'}${lineEnd}`;
  return [
    {
      urls: words('uris'),
      isEnabled: enabled === undefined || !/^(?:no|false|without|off|disable|0)$/i.test(enabled.value.trim()),
      set: (now, on) =>
        enabled === undefined ? (on ? now : now.toSpliced(first, 0, wanted(on))) : now.with(enabled.at, wanted(on)),
    },
  ];
}
