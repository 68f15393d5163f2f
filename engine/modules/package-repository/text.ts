import { aptLines } from './apt.js';
import { aptStanzas } from './deb822.js';
import type { Entry, ReadEntries } from './entry.js';
import { rpmSections } from './rpm.js';

/** By its ending, as apt and dnf do. */
export const readerOf = (path: string): ReadEntries =>
  path.endsWith('.repo') ? rpmSections : path.endsWith('.sources') ? aptStanzas : aptLines;

/** Whether an entry's address lies at or below this one: the same host and port, whatever the scheme. */
export function isBelow(address: string, url: string): boolean {
  const [found, wanted] = [placeOf(address), placeOf(url)];
  return found !== undefined && wanted !== undefined && (found === wanted || found.startsWith(`${wanted}/`));
}

function placeOf(address: string): string | undefined {
  const plain = address.replace(/^(?:mirror|tor)\+/, '');
  if (!URL.canParse(plain)) return undefined;
  const { host, pathname } = new URL(plain);
  return `${host}${pathname.replace(/\/+$/, '')}`;
}

/** Entries of this address; what also names another one is not only its own. */
export const entriesOf = (entries: readonly Entry[], url: string): readonly Entry[] =>
  entries.filter(({ urls }) => urls.some((one) => isBelow(one, url)));

/** The addresses of this repository that are switched on in a file. */
export const enabledAddresses = (text: string, path: string, url: string): readonly string[] =>
  entriesOf(readerOf(path)(text.split('\n')), url).flatMap(({ isEnabled, urls }) => (isEnabled === false ? [] : urls));
