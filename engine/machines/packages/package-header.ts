import type { FileHandle } from 'node:fs/promises';

/** Who a package says that it is. */
export interface PackageHeader {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

/** These bytes of a file; undefined where it ends before. */
export async function readAt(file: FileHandle, at: number, bytes: number): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, at);
  return bytesRead === bytes ? buffer : undefined;
}
