import { posix } from 'node:path';
import type { FileTree } from '../../facts/file.js';
import type { ArchiveListing } from '../../facts/host.js';

/** A member as it would come to stand, relative to the directory. `sha256` where the listing has it. */
export interface Member {
  readonly path: string;
  readonly type: 'file' | 'directory' | 'link';
  readonly target?: string;
  readonly sha256?: string;
}

export type Judged =
  { readonly is: 'members'; readonly members: readonly Member[] } | { readonly is: 'wrong'; readonly reason: string };

/** More than any archive that belongs here holds. */
const MOST_MEMBERS = 100_000;

const wrong = (reason: string): Judged => ({ is: 'wrong', reason });

/**
 * Judges an archive before anything of it is unpacked: no absolute paths, no `..`, no links that lead out, nothing through a link,
 * neither devices nor pipes.
 */
export function judgeMembers(listing: NonNullable<ArchiveListing>, strip: number): Judged {
  if (listing.length > MOST_MEMBERS) return wrong(`it has more than ${MOST_MEMBERS} members`);
  const members: Member[] = [];
  for (const member of listing) {
    const { path, type, target } = member;
    const segments = path.split('/').filter((s) => s !== '' && s !== '.');
    if (path.startsWith('/')) return wrong(`its member ${path} has an absolute path`);
    if (segments.includes('..')) return wrong(`its member ${path} leads out of the directory`);
    if (path.includes('\0') || path.includes('\n')) return wrong('the name of a member holds a line end');
    if (type === 'other') return wrong(`its member ${path} is neither file, directory nor link`);
    if (type === 'link' && leadsOut(segments, target ?? '', strip))
      return wrong(`its link ${path} leads out of the directory, to ${target ?? 'nothing'}`);
    if (segments.length <= strip) continue;
    const sha256 = (member as { readonly sha256?: string }).sha256;
    members.push({
      path: segments.slice(strip).join('/'),
      type,
      ...(target === undefined ? {} : { target }),
      ...(sha256 === undefined ? {} : { sha256 }),
    });
  }
  const links = new Set(members.filter((m) => m.type === 'link').map((m) => m.path));
  const through = members.find((m) => ancestors(m.path).some((a) => links.has(a)));
  if (through !== undefined) return wrong(`its member ${through.path} lies behind a link of its own`);
  if (!members.some((m) => m.type !== 'directory')) return wrong('there is no file in it');
  return { is: 'members', members };
}

function leadsOut(segments: readonly string[], target: string, strip: number): boolean {
  if (target === '' || target.startsWith('/')) return true;
  const at = segments.slice(strip, -1).join('/');
  return (
    posix.join('root', at, target).split('/')[0] !== 'root' || posix.normalize(posix.join(at, target)).startsWith('..')
  );
}

const ancestors = (path: string): readonly string[] => {
  const parts = path.split('/');
  return parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
};

/** What stands in the way of a member, in words; undefined when nothing does. */
export function whatIsInTheWay(members: readonly Member[], found: FileTree): string | undefined {
  const there = new Map((found ?? []).map((e) => [e.path, e]));
  for (const member of members) {
    const link = ancestors(member.path).find((a) => there.get(a)?.type === 'link');
    if (link !== undefined) return `${link} is a link there already, and ${member.path} would go through it`;
    const now = there.get(member.path);
    if (now !== undefined && (now.type === 'directory') !== (member.type === 'directory'))
      return `${member.path} is a ${now.type} there already, and a ${member.type} in the archive`;
  }
  return undefined;
}

/** Does the directory hold what the archive holds? `maybe`: all names and kinds, but the listing has no hashes. */
export function inPlace(members: readonly Member[], found: FileTree): 'yes' | 'no' | 'maybe' {
  const there = new Map((found ?? []).map((e) => [e.path, e]));
  let sure = true;
  for (const member of members) {
    const now = there.get(member.path);
    // A hard link to another member is a file once it is unpacked.
    if (now === undefined || (now.type !== member.type && !(member.type === 'link' && now.type === 'file')))
      return 'no';
    if (member.type === 'link' && now.type === 'link' && now.target !== member.target) return 'no';
    if (member.sha256 !== undefined && now.sha256 !== member.sha256) return 'no';
    if (member.type === 'file' && member.sha256 === undefined) sure = false;
  }
  return sure ? 'yes' : 'maybe';
}

/** The outermost new things that unpacking makes; undefined when it replaces something. */
export function newTops(
  members: readonly Member[],
  found: FileTree,
): readonly { readonly path: string; readonly isDirectory: boolean }[] | undefined {
  const there = new Set((found ?? []).map((e) => e.path));
  if (members.some((m) => m.type !== 'directory' && there.has(m.path))) return undefined;
  const tops = new Map<string, boolean>();
  for (const { path, type } of members) {
    const top = [...ancestors(path), path].find((p) => !there.has(p));
    if (top !== undefined) tops.set(top, tops.get(top) === true || type === 'directory' || top !== path);
  }
  return [...tops].map(([path, isDirectory]) => ({ path, isDirectory }));
}
