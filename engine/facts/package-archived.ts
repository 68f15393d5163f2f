import { quoteOne } from '../lib/quote.js';
import { answer } from './answer.js';
import type { HostFact } from './kind.js';
import { filePatterns, stagedSh, type StagedQuestion } from './package-staged.js';

/** A package of a version, and the directory in which it is archived. */
export interface ArchivedQuestion extends StagedQuestion {
  readonly directory: string;
}

/** `damaged`: it is archived, and differs from its recorded hash. */
export type PackageArchived = 'whole' | 'damaged' | 'none';

const key = ({ name, version, directory }: ArchivedQuestion): string => JSON.stringify({ name, version, directory });

/** A line each: `whole PATH` or `damaged PATH`. */
function sh(text: string): string {
  const { directory, ...wanted } = JSON.parse(text) as ArchivedQuestion;
  const { deb, rpm } = filePatterns(wanted);
  return `d=${quoteOne(directory)}
find "$d" -maxdepth 1 -type f '(' -name ${quoteOne(deb)} -o -name ${quoteOne(rpm)} ')' | while IFS= read -r f; do
  if (cd "$d" && sha256sum -c --status -- "\${f##*/}.sha256"); then printf 'whole %s\\n' "$f"; else printf 'damaged %s\\n' "$f"; fi
done
exit 0`;
}

const linesOf = (stdout: string): readonly string[] => stdout.split('\n').filter((l) => l !== '');

/** Is the package archived, and undamaged? */
export const packageArchived: HostFact<ArchivedQuestion, PackageArchived> = {
  name: 'package-archived',
  key,
  sh,
  parse({ stdout }) {
    const lines = linesOf(stdout);
    return answer<PackageArchived>(
      lines.length === 0 ? 'none' : lines.some((l) => l.startsWith('whole ')) ? 'whole' : 'damaged',
    );
  },
};

/** Where it is, whole; null when it is not. As of what is staged, a plan is not told. */
export const archivedPackageFile: HostFact<ArchivedQuestion, string | null> = {
  name: 'package-archived-file',
  key,
  sh,
  parse: ({ stdout }) =>
    answer<string | null>(
      linesOf(stdout)
        .find((l) => l.startsWith('whole '))
        ?.slice('whole '.length) ?? null,
    ),
};

/** The file of a staged package, and its hash. */
export type PackageSource = { readonly path: string; readonly sha256: string } | null;

export const packageSource: HostFact<StagedQuestion, PackageSource> = {
  name: 'package-source',
  key: ({ name, version }) => JSON.stringify({ name, version }),
  sh: (text) => `{ ${stagedSh(JSON.parse(text) as StagedQuestion)}; } | head -n 1 | while IFS= read -r f; do
  printf '%s %s\\n' "$(sha256sum <"$f" | cut -c 1-64)" "$f"
done
exit 0`,
  parse({ stdout }) {
    const [, sha256 = '', path = ''] = /^([0-9a-f]{64}) (.+)$/m.exec(stdout) ?? [];
    return answer<PackageSource>(path === '' ? null : { path, sha256 });
  },
};
