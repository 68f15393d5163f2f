import { quoteOne } from '../lib/quote.js';
import { answer } from './answer.js';
import type { HostFact } from './kind.js';
import { isRpmHost } from './package-family.js';

/** A package of a version; without a revision, of any. */
export interface StagedQuestion {
  readonly name: string;
  readonly version: string;
}

const key = ({ name, version }: StagedQuestion): string => JSON.stringify({ name, version });
const questionOf = (text: string): StagedQuestion => JSON.parse(text) as StagedQuestion;

const sh = (text: string): string => `${stagedSh(questionOf(text))}\nexit 0`;

/** What a package manager calls the files of a version: patterns for find. */
export function filePatterns({ name, version }: StagedQuestion): { readonly deb: string; readonly rpm: string } {
  const plain = version.replace(/^\d+:/, '');
  const any = version.includes('-') ? '' : '-*';
  return { deb: `${name}_${version.replace(':', '%3a')}${any}_*.deb`, rpm: `${name}-${plain}${any}.*.rpm` };
}

/** Shell that prints the paths of a version's whole files in the package manager's own cache. */
export const stagedSh = (question: StagedQuestion): string => wholeFiles(filePatterns(question));

/** Prints the paths of whole package files in the package manager's own cache: apt keeps what is not whole elsewhere, of an rpm its digests tell. */
const wholeFiles = ({ deb, rpm }: ReturnType<typeof filePatterns>): string => `if ${isRpmHost}; then
  find /var/cache/dnf /var/cache/libdnf5 /var/cache/yum -type f -name ${quoteOne(rpm)} | while IFS= read -r f; do
    rpm -K --nosignature "$f" >/dev/null && printf '%s\\n' "$f"
  done
else find /var/cache/apt/archives -maxdepth 1 -type f -size +0 -name ${quoteOne(deb)}; fi`;

const firstOf = (stdout: string): string | null => stdout.split('\n').find((l) => l !== '') ?? null;

/** Versions of a package that are there to be installed without its repository. */
export type StagedVersions = readonly string[];

export const stagedVersions: HostFact<string, StagedVersions> = {
  name: 'package-staged-versions',
  key: (name) => name,
  sh: (name) => `${wholeFiles({ deb: `${name}_[0-9]*_*.deb`, rpm: `${name}-[0-9]*.*.rpm` })}\nexit 0`,
  parse: ({ stdout }, name) =>
    answer<StagedVersions>([...new Set(stdout.split('\n').flatMap((path) => versionOf(path, name)))]),
};

/** By the file's name, as apt and dnf give it: `NAME_1%3a4.14.7-1_amd64.deb`, `NAME-4.14.7-1.x86_64.rpm` (which tells no epoch). */
function versionOf(path: string, name: string): readonly string[] {
  const rest = path.slice(path.lastIndexOf('/') + 1 + name.length + 1);
  const version = rest.endsWith('.deb')
    ? rest.split('_')[0]?.replace('%3a', ':')
    : /^(.*)\.[^.]+\.rpm$/.exec(rest)?.[1];
  return version === undefined || version === '' ? [] : [version];
}

/** Is it there to be installed without its repository? */
export const packageStaged: HostFact<StagedQuestion, boolean> = {
  name: 'package-staged',
  key,
  sh,
  parse: ({ stdout }) => answer<boolean>(firstOf(stdout) !== null),
};

/** Where it is; null when it is not. A plan is not told: where the file will be hangs on the host's architecture. */
export const packageFile: HostFact<StagedQuestion, string | null> = {
  name: 'package-file',
  key,
  sh,
  parse: ({ stdout }) => answer<string | null>(firstOf(stdout)),
};
