import { parse } from 'yaml';

/** The dashboard's settings by their dotted names, whether the file has them flat, nested or mixed. Throws on broken YAML. */
export function readSettings(text: string): Map<string, unknown> {
  const settings = new Map<string, unknown>();
  flatten(parse(text), '', settings);
  return settings;
}

function flatten(value: unknown, path: string, into: Map<string, unknown>): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, child] of Object.entries(value)) flatten(child, path === '' ? key : `${path}.${key}`, into);
  } else if (path !== '') {
    into.set(path, value);
  }
}
