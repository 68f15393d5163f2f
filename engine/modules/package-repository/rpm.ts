import type { Entry, ReadEntries } from './entry.js';

/** Sections of a .repo file. */
export const rpmSections: ReadEntries = (lines) => {
  const heads = lines.flatMap((line, at) => (/^\[[^\]]*\]/.test(line) ? [at] : []));
  return heads.map((head, i) => section(lines, head + 1, heads[i + 1] ?? lines.length));
};

const ADDRESSES = new Set(['baseurl', 'mirrorlist', 'metalink']);

function section(lines: readonly string[], start: number, end: number): Entry {
  const urls: string[] = [];
  let enabled: { readonly at: number; readonly isOn: boolean } | undefined;
  let last = '';
  for (let at = start; at < end; at += 1) {
    const line = lines[at] ?? '';
    const [, name = '', value = ''] = /^([A-Za-z_]+)\s*=(.*)$/.exec(line.trimEnd()) ?? [];
    if (name !== '') last = name.toLowerCase();
    const words = name !== '' ? value : /^\s/.test(line) ? line : '';
    if (ADDRESSES.has(last)) urls.push(...words.split(/[\s,]+/).filter((w) => w !== ''));
    if (name.toLowerCase() === 'enabled') enabled = { at, isOn: /^(?:1|yes|true|on)$/i.test(value.trim()) };
  }
  return {
    urls,
    isEnabled: enabled?.isOn,
    set: (now, on) =>
      enabled === undefined || enabled.isOn === on
        ? now
        : now.with(enabled.at, `enabled=${on ? '1' : '0'}${(lines[enabled.at] ?? '').endsWith('\r') ? '\r' : ''}`),
  };
}
