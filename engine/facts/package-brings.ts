import { quoteOne } from '../lib/quote.js';
import { answer } from './answer.js';
import type { HostFact } from './kind.js';
import { LARGEST_BYTES, readBrought, type Brought } from './package-brought.js';
import { isRpmHost } from './package-family.js';

/** A staged package's file, the package that it is of, and paths that it may bring. */
export interface BringsQuestion {
  readonly name: string;
  readonly file: string;
  readonly paths: readonly string[];
}

/** By path: what would be brought; a path that cannot be judged is left out. */
export interface PackageBrings {
  readonly manager: 'dpkg' | 'rpm';
  readonly paths: Readonly<Record<string, Brought>>;
}

const key = (q: BringsQuestion): string => JSON.stringify({ name: q.name, file: q.file, paths: q.paths });
const questionOf = (text: string): BringsQuestion => JSON.parse(text) as BringsQuestion;

/** Of each file of an RPM: path, digest, its algorithm, flags, owner, group, mode, size. */
const rpmQuery =
  '[%{FILENAMES}|%{FILEDIGESTS}|%{=FILEDIGESTALGO}|%{FILEFLAGS}|%{FILEUSERNAME}|%{FILEGROUPNAME}|%{FILEMODES:octal}|%{FILESIZES}\\n]';

/**
 * Lines `WORD TEXT`: `script` a script (base64), `woken` what another package's trigger waits for, `conffile` what dpkg would keep, `was` and
 * `next` a file as the installed and the new package have it, `found` what stands at a path, `text` what the new one has there (base64,
 * with the status of its unpacking at the end). A package lists what is below /etc first, so unpacking ends early.
 */
function sh(text: string): string {
  const { name, file, paths } = questionOf(text);
  const each = paths.map(quoteOne).join(' ');
  const wanted = paths.map((p) => `-e ${quoteOne(`${p}|`)}`).join(' ');
  return `n=${quoteOne(name)}; f=${quoteOne(file)}
control() { dpkg-deb --ctrl-tarfile "$f" | tar -xO "$@"; }
# No conffile, and a script writes it or may: what the package has there is not looked for through all of it.
named() { ! control ./conffiles | grep -qFx -- "$1" && { control ./preinst; control ./postinst; } | grep -qF -- "\${1##*/}"; }
unpack() { head -c ${LARGEST_BYTES + 16} | base64 -w0; echo; }
if ${isRpmHost}; then
  echo rpm
  q=${quoteOne(rpmQuery)}
  rpm -qp --nosignature --nodigest --qf "$q" "$f" | grep -F ${wanted} | sed 's/^/next /'
  rpm -q --qf "$q" -- "$n" | grep -F ${wanted} | sed 's/^/was /'
  for o in '--scripts --triggers' --filetriggers; do
    printf 'script '; rpm -qp --nosignature --nodigest $o "$f" | base64 -w0; echo
    printf 'script '; rpm -q $o -- "$n" | base64 -w0; echo
  done
  for t in TRIGGERNAME FILETRIGGERNAME TRANSFILETRIGGERNAME; do rpm -qa --qf "[%{$t}\\n]"; done | sort -u | sed 's/^/woken /'
else
  echo dpkg
  dpkg-query -W -f '\${Conffiles}\\n' -- "$n" | sed -n 's/^ *\\//was \\//p'
  control ./conffiles | sed 's/^/conffile /'
  grep -hFx ${paths.map((p) => `-e ${quoteOne(p)}`).join(' ')} /var/lib/dpkg/info/"$n".list /var/lib/dpkg/info/"$n":*.list | sed 's/^/listed /'
  for s in preinst postinst prerm postrm; do
    printf 'script '; control ./$s | base64 -w0; echo
    for i in /var/lib/dpkg/info/"$n".$s /var/lib/dpkg/info/"$n":*.$s; do
      if [ -f "$i" ]; then printf 'script '; base64 -w0 <"$i"; echo; fi
    done
  done
  sed -n 's/^interest[a-z-]* */woken /p' /var/lib/dpkg/info/*.triggers
  sed 's/^/woken /' /var/lib/dpkg/diversions
fi
for p in ${each}; do
  if [ -f "$p" ] && [ ! -L "$p" ]; then
    printf 'found %s %s %s\\n' "$(sha256sum <"$p" | cut -c 1-64)" "$(md5sum <"$p" | cut -c 1-32)" "$p"
  elif [ -e "$p" ] || [ -L "$p" ]; then printf 'other %s\\n' "$p"; fi
  printf 'text %s ' "$p"
  if ! ${isRpmHost}; then
    if named "$p"; then echo; continue; fi
    { timeout 15 dpkg-deb --fsys-tarfile "$f" | tar -xO --occurrence=1 -- ".$p" 2>&1; printf '|%s' $?; } | unpack
  elif command -v rpm2archive >/dev/null; then
    { timeout 15 rpm2archive - <"$f" | tar -xzO --occurrence=1 -- ".$p"; printf '|%s' $?; } | unpack
  else
    { timeout 15 rpm2cpio "$f" | head -c 67108864 | cpio -i --to-stdout --quiet ".$p"; printf '|0'; } | unpack
  fi
done
exit 0`;
}

export const packageBrings: HostFact<BringsQuestion, PackageBrings> = {
  name: 'package-brings',
  key,
  sh,
  parse: ({ stdout }, text) => {
    const { name, paths } = questionOf(text);
    const [family, ...lines] = stdout.split('\n');
    const manager = family === 'rpm' ? 'rpm' : 'dpkg';
    const entries = paths.flatMap((path) => {
      const brought = readBrought({ manager, name, lines }, path);
      return brought === undefined ? [] : [[path, brought] as const];
    });
    return answer<PackageBrings>({ manager, paths: Object.fromEntries(entries) });
  },
};
