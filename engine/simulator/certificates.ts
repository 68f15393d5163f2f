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

/** Whether a user may read a file of a model host: by its mode, for the model's directories let everybody in. */
export function modelReadable(host: HostState, key: string): Answer {
  const { user, path } = JSON.parse(key) as ReadableQuestion;
  const entry = followed(host, path);
  if (entry === undefined) return answer<Readable>('no');
  const mode = parseInt(entry.mode, 8);
  const bit = entry.owner === user ? 0o400 : entry.group === user ? 0o040 : 0o004;
  return answer<Readable>(user === 'root' || (mode & bit) !== 0 ? 'yes' : 'no');
}

const followed = (host: HostState, path: string): FileEntry | undefined => entryAt(host, resolveLink(host, path));
