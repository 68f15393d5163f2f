import { createPrivateKey, createPublicKey } from 'node:crypto';
import { answer, unreadable } from '../facts/answer.js';
import { publicHash, readCertificates, type CertificateFile, type KeyState } from '../facts/certificate.js';
import type { Readable, ReadableQuestion } from '../facts/readable.js';
import { entryAt } from './files.js';
import { resolveLink } from './links.js';
import type { FileEntry, HostState } from './state.js';
import type { Answer } from '../terms/fact.js';

/** What the certificates in a file of a model host say. */
export function modelCertificateFile(host: HostState, path: string): Answer {
  const entry = followed(host, path);
  if (entry === undefined) return answer<CertificateFile>(null);
  return entry.type === 'file'
    ? answer<CertificateFile>(readCertificates(entry.text))
    : unreadable(`${path} is no regular file`);
}

/** The public half of a private key that a model host keeps, as its openssl would give it. */
export function modelPublicKey(host: HostState, path: string): Answer {
  const entry = followed(host, path);
  if (entry === undefined) return answer<KeyState>({ is: 'absent' });
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type:.*ENCRYPTED/m.test(entry.text))
    return answer<KeyState>({ is: 'encrypted' });
  try {
    return answer<KeyState>({ is: 'key', publicSha256: publicHash(createPublicKey(createPrivateKey(entry.text))) });
  } catch {
    return answer<KeyState>({ is: 'no key' });
  }
}

/** Whether a user may read, or write, what a model host has at a path: by the modes of the directories on the way, and its own. */
export function modelReadable(host: HostState, key: string): Answer {
  const { user, path, write = false } = JSON.parse(key) as ReadableQuestion;
  const real = resolveLink(host, path);
  for (let at = real.indexOf('/', 1); at > 0; at = real.indexOf('/', at + 1)) {
    const directory = entryAt(host, real.slice(0, at));
    if (directory === undefined) break;
    if (!may(directory, user, 0o1)) return answer<Readable>({ barred: real.slice(0, at), by: 'rights' });
  }
  const entry = entryAt(host, real);
  if (entry === undefined) return answer<Readable>({ barred: path, by: 'absent' });
  const wanted = 0o4 | (write ? 0o2 : 0) | (entry.type === 'directory' ? 0o1 : 0);
  return answer<Readable>(may(entry, user, wanted) ? 'yes' : { barred: real, by: 'rights' });
}

function may({ mode, owner, group }: FileEntry, user: string, bits: number): boolean {
  const shift = owner === user ? 6 : group === user ? 3 : 0;
  return user === 'root' || ((Number.parseInt(mode, 8) >> shift) & bits) === bits;
}

const followed = (host: HostState, path: string): FileEntry | undefined => entryAt(host, resolveLink(host, path));
