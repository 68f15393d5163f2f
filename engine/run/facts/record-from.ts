import { nameHosts } from '../../lib/name-hosts.js';
import { content, type FileContent } from '../../facts/file.js';
import { textIn, type RecordedText } from '../../facts/pending-task.js';
import { packageState, type PackageState } from '../../facts/package.js';
import { render } from '../../language/templates/render.js';
import { defined } from '../../lib/defined.js';
import { compareByPrefix } from '../../lib/version.js';
import { need, type Answer } from '../../terms/fact.js';
import type { Host } from '../../terms/inventory.js';
import { hostsNow } from '../chosen.js';
import type { Reading } from './facts.js';
import { leftOutOf } from '../left-out.js';
import { isGivenUp, type Run } from '../run.js';
import { scopeOf } from './scope.js';
import { resolveFacts } from './resolve-facts.js';

/** Why the run cannot begin. */
export interface Refused {
  readonly as: 'unreachable' | 'refused';
  readonly reason: string;
}

interface Asked {
  readonly host: string;
  readonly versions: readonly Version[];
}

interface Version {
  readonly component: string;
  readonly installed: Reading;
  /** The file that an upgrade of it leaves on the host until it is complete. */
  readonly record: RecordedText | undefined;
}

/**
 * The versions upgraded from are read once, before anything changes, on every host: what is installed, or, where an upgrade was begun and is
 * not complete, what that one began with. A host that cannot be reached or refuses the login ends the run here,
 * unless the run can do without it: then it is left out. Gives why the run cannot begin, or undefined.
 */
export async function recordFrom(run: Run, of = concerned(run)): Promise<Refused | undefined> {
  const asked = await askVersions(
    run,
    of.filter((host) => !run.journal.state.from.has(host) && !isGivenUp(run, host)),
  );
  const denied: string[] = [];
  const away: string[] = [];
  const refusing: string[] = [];
  const isDiagnosing = run.options.diagnosing === true;
  for (const { host, versions } of asked) {
    const failed = versions.flatMap((version) => failureOf(version, isDiagnosing) ?? [])[0];
    if (failed === undefined) {
      const versionOf = isDiagnosing ? installedNow : fromOf;
      const from = versions.map((version) => [version.component, versionOf(version)]);
      run.journal.emit({ e: 'from', host, versions: Object.fromEntries(from) as Record<string, string | null> });
      continue;
    }
    const { why, reason, hint } = failed;
    // One that answers and refuses the login is no more of use than one that is away.
    const hasNoAccess = why === 'unreachable' || why === 'no-access';
    const leftOut = hasNoAccess || isDiagnosing ? leftOutOf(run, host) : {};
    const address = run.hosts.get(host)?.address;
    run.journal.emit(defined({ e: 'host-lost' as const, host, address, reason, hint, ...leftOut }));
    if (why !== 'unreachable') refusing.push(host);
    if (leftOut.leftOut !== true) (why === 'unreachable' ? away : denied).push(host);
  }
  const noHostLeft = away.length === 0 && denied.length === 0 && isNoHostLeft(run);
  const needed = noHostLeft && refusing.length === 0 ? asked.map(({ host }) => host) : away;
  if (needed.length > 0) return { as: 'unreachable', reason: `${nameHosts(needed)}: not reachable` };
  // A host that answers and refuses the login (a wrong key or password) is there: that is a refusal.
  const refused = noHostLeft ? refusing : denied;
  if (refused.length > 0)
    return { as: 'refused', reason: `${nameHosts(refused)}: cannot be worked on; nothing was changed` };
  return undefined;
}

const isNoHostLeft = (run: Run): boolean => {
  const { lost } = run.journal.state;
  return lost.size > 0 && concerned(run).every((host) => lost.has(host));
};

function concerned(run: Run): readonly string[] {
  const taken = run.options.diagnosing === true ? hostsOfPlays(run) : undefined;
  return run.project.inventory.hosts.flatMap((host) =>
    run.options.limit?.has(host.name) === false || taken?.has(host.name) === false || hasNoPackages(run, host)
      ? []
      : [host.name],
  );
}

/** What only reads contacts no host that none of its plays takes. */
const hostsOfPlays = (run: Run): ReadonlySet<string> =>
  new Set(run.project.playbook.plays.flatMap((play) => hostsNow(run, play)));

/** Whatever is there is installed otherwise (an MSI on Windows): it is read by the plays that take the host, and by them alone. */
const hasNoPackages = ({ project }: Run, { roles }: Host): boolean =>
  roles.length > 0 && roles.every((role) => project.platform.roles[role]?.noPackages === true);

const installedNow = ({ installed }: Pick<Version, 'installed'>): string | null =>
  (valueIn(installed) as PackageState | undefined)?.installed ?? null;

type Failed = Extract<Answer, { is: 'failed' }>;

/** Why it is not known with which version an upgrade of it began. What only reads compares nothing with that. */
function failureOf({ installed, record }: Version, isDiagnosing: boolean): Failed | undefined {
  if ('failed' in installed) return installed.failed;
  return record?.is === 'damaged' && !isDiagnosing ? { ...record, is: 'failed', why: 'unreadable' } : undefined;
}

/** A record `FROM TO…` counts where a TO is installed: one of an upgrade that was taken back, or went elsewhere, does not. */
function fromOf({ installed, record }: Version): string | null {
  const now = installedNow({ installed });
  const [from = '', ...to] = record === undefined || record.is === 'damaged' ? [] : record.text.trim().split(' ');
  return now !== null && to.some((version) => compareByPrefix(now, version) === 0) ? from : now;
}

function recordAt(path: string, read: Reading): RecordedText | undefined {
  const found = valueIn(read) as FileContent | undefined;
  return found === undefined || found === null ? undefined : textIn(path, found);
}

const valueIn = (r: Reading): unknown => ('known' in r && r.known ? r.value : undefined);

function askVersions(run: Run, hosts: readonly string[]): Promise<readonly Asked[]> {
  const { components, names } = run.project.platform;
  return resolveFacts(run, (lookup) =>
    hosts.map((host) => {
      const textOf = (name: string): string | undefined => {
        const rendered = render(`{{${name}}}`, scopeOf(run, { host }, lookup, []));
        return rendered.is === 'value' && typeof rendered.value === 'string' ? rendered.value : undefined;
      };
      const versions = components.map((component): Version => {
        const path =
          names[component]?.['upgrade_record'] === undefined ? undefined : textOf(`${component}.upgrade_record`);
        return {
          component,
          installed: lookup(need({ host }, packageState, textOf(`${component}.package`) ?? component)),
          record: path === undefined ? undefined : recordAt(path, lookup(need({ host }, content, path))),
        };
      });
      return { host, versions };
    }),
  );
}
