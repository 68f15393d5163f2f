import { sha256 } from '../../lib/hash.js';
import { quoteOne } from '../../lib/quote.js';
import type { Action } from '../../terms/action.js';
import type { EffectId, JobState } from '../../terms/machine.js';
import { commandText, endedWith, outputText, readOutput } from './run.js';

type Job = Extract<Action, { do: 'job' }>;

const jobsFolder = '/var/lib/runbook/jobs';

/** A name that the effect always has again, after whatever crash. */
export const jobHash = (id: EffectId): string => sha256(id).slice(0, 32);
export const unitOf = (id: EffectId): string => `runbook-${jobHash(id)}.service`;
const folderOf = (id: EffectId): string => `${jobsFolder}/${jobHash(id)}`;

/**
 * Starts a job as a transient unit of systemd, unless it was started before: making its folder is what decides that. The command stands
 * in a file, for systemd would expand `$` and `%` in a unit's properties. The exit status appears in one call, and last.
 */
export function startText(id: EffectId, command: Job['command']): string {
  const script = `cd /
export LC_ALL=C HOME="\${HOME:-/root}"
${commandText(command)} >${folderOf(id)}/out 2>${folderOf(id)}/err </dev/null
echo "$?" >${folderOf(id)}/exit.new && mv ${folderOf(id)}/exit.new ${folderOf(id)}/exit
`;
  return `set -eu
j=${folderOf(id)}
command -v systemd-run >/dev/null || { echo 'there is no systemd-run on this host'; exit 1; }
(umask 077; mkdir -p ${jobsFolder})
if [ -d "$j" ]; then exit 0; fi
mkdir -m 0700 "$j"
trap 'if [ ! -e "$j/started" ]; then rm -rf "$j"; fi' EXIT
printf %s ${quoteOne(script)} >"$j/script"
cat /proc/sys/kernel/random/boot_id >"$j/boot"
date +%s%3N >"$j/since"
systemd-run --quiet --unit=${unitOf(id)} --description=${quoteOne(`runbook: ${command.argv[0]}`)} -p UMask=0022 -- /bin/sh "$j/script"
: >"$j/started"`;
}

/** A word in the arguments of a command that is no job, by which it is found while it runs, whoever started it. */
export const runMark = (id: EffectId): string => `runbook-run-${jobHash(id)}`;

/** Looks at a job or a command, and at a job again each tenth of a second while it runs, `looks` times. */
export const lookText = (id: EffectId, looks: number, keptBytes: number): string => `j=${folderOf(id)}
n=0
while [ -d "$j" ]; do
  s=$(systemctl show -p ActiveState ${unitOf(id)}); s=\${s#*=}
  if [ -e "$j/exit" ]; then
    read -r x <"$j/exit"
    ${outputText('"$j/out"', '"$j/err"', keptBytes)}
    exit
  fi
  case $s in active|activating|deactivating|reloading) ;; *)
    if [ "$(cat "$j/boot")" = "$(cat /proc/sys/kernel/random/boot_id)" ]; then echo killed; else echo rebooted; fi
    exit ;;
  esac
  n=$((n + 1))
  if [ "$n" -ge ${looks} ]; then printf 'running %s\\n' "$(cat "$j/since")"; exit; fi
  sleep 0.1
done
if grep -qs -- '[${runMark(id).slice(0, 1)}]${runMark(id).slice(1)}' /proc/[0-9]*/cmdline; then printf 'running %s\\n' "$(date +%s%3N)"; exit; fi
echo absent`;

/** Once its outcome is recorded nothing of a job stays on the host. */
export const forgetText = (id: EffectId): string => `rm -rf ${folderOf(id)}`;

/** Reads what `lookText` printed; undefined when it is none of what it prints. */
export function readJob(latin1: string): JobState | undefined {
  const word = latin1.trim();
  if (word === 'absent') return { is: 'absent' };
  if (word === 'killed' || word === 'rebooted') return { is: 'lost', why: word };
  if (word.startsWith('running ')) return { is: 'running', sinceMs: Number(word.slice(8)) };
  const output = readOutput(latin1);
  return output && endedWith(output);
}
