/** What stands at a path. Follows no link: a link says where it points. */
export type FileState =
  | { readonly exists: false }
  | {
      readonly exists: true;
      readonly type: 'file' | 'directory' | 'link' | 'other';
      readonly owner: string;
      readonly group: string;
      /** `0640` */
      readonly mode: string;
      readonly sizeBytes: number;
      /** Of a file; absent otherwise. */
      readonly sha256?: string;
      /** Of a link. */
      readonly target?: string;
      /** Last change of content or attributes (ctime), milliseconds since the epoch. */
      readonly changedAtMs: number;
    };

/** The text of a file, or null when there is none. At most 8 MiB. */
export type FileContent = { readonly text: string; readonly encoding: 'utf8' | 'latin1'; readonly sha256: string } | null;

/** Every file below a path (or the file itself), by relative path, sorted; null when nothing is there. */
export type FileTree = readonly { readonly path: string; readonly type: 'file' | 'directory' | 'link' | 'other'; readonly mode: string; readonly owner: string; readonly group: string; readonly sha256?: string; readonly target?: string }[] | null;

export const file = { name: 'file', key: (path: string) => path, __v: undefined as unknown as FileState };
export const content = { name: 'content', key: (path: string) => path, __v: undefined as unknown as FileContent };
export const tree = { name: 'tree', key: (path: string) => path, __v: undefined as unknown as FileTree };
