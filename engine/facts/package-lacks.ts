import { quoteOne } from '../lib/quote.js';
import { answer } from './answer.js';
import type { HostFact } from './kind.js';
import { isRpmHost } from './package-family.js';
import { stagedSh } from './package-staged.js';

/** Files that must be on a host once a package's version is installed. */
export interface LacksQuestion {
  readonly name: string;
  readonly version: string;
  readonly paths: readonly string[];
}

/** Of these paths, those that neither the package in the package manager's cache nor the host has; null where no package is there. */
export type PackageLacks = readonly string[] | null;

const questionOf = (text: string): LacksQuestion => JSON.parse(text) as LacksQuestion;

/** One listing, however many paths: a package of hundreds of megabytes is read once. */
function sh(text: string): string {
  const { paths, ...version } = questionOf(text);
  return `f=$({ ${stagedSh(version)}
} | head -n 1)
if [ -z "$f" ]; then echo none; exit 0; fi
if ${isRpmHost}; then l=$(rpm -qlp --nosignature --nodigest "$f") || exit 1
else l=$(dpkg-deb --fsys-tarfile "$f" | tar -t | sed 's/^\\.//') || exit 1; fi
echo package
for p in ${paths.map(quoteOne).join(' ')}; do
  [ -e "$p" ] || printf '%s\\n' "$l" | grep -qFx -- "$p" || printf '%s\\n' "$p"
done
exit 0`;
}

export const packageLacks: HostFact<LacksQuestion, PackageLacks> = {
  name: 'package-lacks',
  key: ({ name, version, paths }) => JSON.stringify({ name, version, paths }),
  sh,
  parse: ({ stdout }) => {
    const [found, ...paths] = stdout.split('\n').filter((line) => line !== '');
    return answer<PackageLacks>(found === 'package' ? paths : null);
  },
};
