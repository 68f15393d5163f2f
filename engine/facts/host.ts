/** Free and total space of the file system that holds a path (or its nearest existing parent). */
export interface DiskState {
  readonly freeBytes: number;
  readonly totalBytes: number;
}
export const disk = { name: 'disk', key: (path: string) => path, __v: undefined as unknown as DiskState };

/** Is somebody listening on this local TCP port? */
export interface PortState {
  readonly open: boolean;
}
export const port = { name: 'port', key: (n: number) => String(n), __v: undefined as unknown as PortState };

/** The host itself. Key: empty. */
export interface SystemState {
  readonly hostname: string;
  readonly bootId: string;
  readonly os: string;
  readonly osVersion: string;
  readonly dialect: 'sh' | 'powershell';
  readonly timeMs: number;
}
export const system = { name: 'system', key: () => '', __v: undefined as unknown as SystemState };

/** What a command that only reads prints: its writer says that it alters nothing, so it runs in a plan too. */
export interface ProbeQuestion {
  readonly argv: readonly [string, ...string[]];
  readonly timeoutMs?: number;
}
export interface ProbeAnswer {
  readonly exit: number;
  readonly stdout: string;
}
export const probe = { name: 'probe', key: (q: ProbeQuestion) => JSON.stringify({ argv: q.argv, ...(q.timeoutMs === undefined ? {} : { timeoutMs: q.timeoutMs }) }), __v: undefined as unknown as ProbeAnswer };

/** The members of a tar archive on the host, for judging before extraction; null when there is no such file. */
export type ArchiveListing = readonly { readonly path: string; readonly type: 'file' | 'directory' | 'link' | 'other'; readonly target?: string }[] | null;
export const archiveListing = { name: 'archive', key: (path: string) => path, __v: undefined as unknown as ArchiveListing };
