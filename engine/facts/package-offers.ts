import { quoteOne } from '../lib/quote.js';
import { answer, unreadable } from './answer.js';
import type { HostFact } from './kind.js';
import { noManager, noRpmManager } from './package.js';
import { isRpmHost, rpmManager } from './package-family.js';
import { aptVersions, type PackageVersions } from './package-versions.js';
import { rpmOffers } from './rpm.js';

/** What a repository would offer, were it the only one that is enabled: `text` is its file (`.repo`, `.sources` or a list), enabled. */
export interface OffersQuestion {
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly timeoutMs: number;
}

/**
 * The repository is asked itself. Its file and all that is fetched lie in a temporary directory, which is removed: the host keeps its
 * repositories and their index as they are. apt gets its settings by a file, because only there can the hooks of an update be cleared.
 */
export const packageOffers: HostFact<OffersQuestion, PackageVersions> = {
  name: 'package-offers',
  key: (q) => JSON.stringify(q),
  sh: (key) => {
    const { name, file, text, timeoutMs } = JSON.parse(key) as OffersQuestion;
    return `n=${quoteOne(name)}
d=$(mktemp -d) || exit 7
trap 'rm -rf "$d"' EXIT
limit='timeout ${Math.floor(timeoutMs / 1000) - 5}'
mkdir -p "$d/parts" "$d/lists/partial" "$d/cache/archives/partial"
printf %s ${quoteOne(text)} >"$d/parts/runbook.${endingOf(file)}"
if ${isRpmHost}; then
  ${rpmManager}
  echo "rpm $p"
  only="--disableplugin=versionlock --setopt=reposdir=$d/parts --setopt=cachedir=$d/cache"
  if [ $p = dnf ]; then $limit dnf -q $only repoquery --showduplicates --qf '%{name} %{evr}\\n' -- "$n" 2>&1
  else $limit yum -q $only --showduplicates list available "$n" 2>&1; fi
  exit
fi
command -v apt-cache >/dev/null || exit 9
cat >"$d/conf" <<END
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "$d/parts";
Dir::State::Lists "$d/lists";
Dir::Cache "$d/cache";
#clear APT::Update;
APT::Update::Error-Mode "any";
END
$limit apt-get -c "$d/conf" -qq update 2>&1 || exit 6
apt-cache -c "$d/conf" madison -- "$n"`;
  },
  parse: ({ exit, stdout }, key) => {
    const { name, file } = JSON.parse(key) as OffersQuestion;
    if (exit === 9) return noManager;
    if (exit === 8) return noRpmManager;
    const isRpm = stdout.startsWith('rpm ');
    const printed = isRpm ? stdout.slice(stdout.indexOf('\n') + 1) : stdout;
    if (exit !== 0 && !(isRpm && /No matching Packages/i.test(printed)))
      return unreadable(`what the repository in ${file} offers could not be read: ${reasonIn(printed, exit)}`);
    return answer<PackageVersions>(isRpm ? [...new Set(rpmOffers(printed, name))].reverse() : aptVersions(printed));
  },
};

/** Both package managers choose the form of a file by its ending. */
const endingOf = (file: string): string => /\.(repo|sources)$/.exec(file)?.[1] ?? 'list';

/** Their first error; what follows it says that there was one. */
function reasonIn(printed: string, exit: number): string {
  if (exit === 124) return 'no answer in time';
  const lines = printed.trim().split('\n');
  return lines.find((line) => /^(?:E:|Err|Error)/.test(line)) ?? lines.at(-1) ?? '';
}
