import type { ReadEntries } from './entry.js';

/** `deb [option=value] URI suite component…`, commented out or not; prose that begins with `deb` has no address there. */
const LINE = /^(\s*)(#[#\s]*)?(deb(?:\s+\[[^\]]*\])?\s+([a-z][a-z0-9+.-]*:\S+)\s+\S[\s\S]*)$/;

/** One-line entries (sources.list). */
export const aptLines: ReadEntries = (lines) =>
  lines.flatMap((line, at) => {
    const [, indent = '', comment, entry = '', url = ''] = LINE.exec(line) ?? [];
    if (entry === '') return [];
    return [
      {
        urls: [url],
        isEnabled: comment === undefined,
        set: (now, enabled) => now.with(at, enabled ? `${indent}${entry}` : comment === undefined ? `#${line}` : line),
      },
    ];
  });
