import { createHash } from 'node:crypto';

/** SHA-256 as 64 hex digits; a text is hashed as its UTF-8 bytes. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** MD5 as 32 hex digits: no proof of anything, but what package managers recorded of files. */
export const md5 = (data: string | Uint8Array): string => createHash('md5').update(data).digest('hex');
