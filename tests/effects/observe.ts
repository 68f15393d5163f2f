import { sha256 } from '../../engine/lib/hash.js';
import type {
  FileEntry,
  HostState,
  PlatformState,
} from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { Action } from '../../engine/terms/action.js';
import type { Actor } from '../../engine/terms/machine.js';

/** The changes of each host and endpoint, in order: units, packages, files by digest, requests. */
export type Effects = Record<string, string[]>;

/** What hosts write by themselves, what is named by its time, and what the upgrade records for itself. */
export const PASSING =
  /\/(log|logs|registry|alerts)\/|\/var\/lib\/apt\/lists\/|\.\d{8}T\d{6}Z|\/runbook\/pending|\/upgrade-of-|\/security-configuration$|\/replicas-without-a-node|\/saved-objects-note|before-4\.14\/jvm\.options-|(opensearch|filebeat)\.yml\.bak|platform\.conf\.bak|\/var\/lib\/runbook$/;

/**
 * Watches an actor's acts on a platform. What changed is read off the hosts after each act, not off the act: a playbook that
 * comes to the same change by another command has the same effects.
 */
export function observing(state: PlatformState): { readonly effects: Effects; readonly actor: (real: Actor) => Actor } {
  const effects: Effects = {};
  let before = lookAt(state);
  const note = (where: string, lines: readonly string[]): void => {
    if (lines.length > 0) (effects[where] ??= []).push(...lines);
  };
  return {
    effects,
    actor: (real) => ({
      ...real,
      perform: async (on, action, context) => {
        const outcome = await real.perform(on, action, context);
        if (action.do === 'request') note(action.request.endpoint, requestLine(action));
        const after = lookAt(state);
        for (const [host, look] of after) note(host, changesBetween(before.get(host), look));
        before = after;
        return outcome;
      },
    }),
  };
}

/** A file entry is replaced or its text is: both are compared by identity first, so that most hosts cost nothing. */
interface Look {
  readonly files: ReadonlyMap<string, FileLook>;
  readonly others: ReadonlyMap<string, string>;
}
type FileLook = Pick<FileEntry, 'text' | 'type' | 'mode' | 'owner' | 'group'>;

const lookAt = (state: PlatformState): ReadonlyMap<string, Look> =>
  new Map(Object.values(state.hosts).map((host) => [host.name, { files: filesOf(host), others: othersOf(host) }]));

const filesOf = ({ files }: HostState): ReadonlyMap<string, FileLook> =>
  new Map(
    Object.entries(files).flatMap(([path, { text, type, mode, owner, group }]) =>
      PASSING.test(path) ? [] : [[path, { text, type, mode, owner, group }] as const],
    ),
  );

function othersOf({ services, packages }: HostState): ReadonlyMap<string, string> {
  const units = Object.entries(services).map(([name, { active, enabled, runs, starts }]) => {
    const up = active === 'active' || active === 'activating';
    return [
      `unit ${name}`,
      `${up ? 'up' : 'down'} ${enabled ? 'enabled' : 'disabled'} runs=${runs} start=${starts}`,
    ] as const;
  });
  const installed = Object.entries(packages).map(
    ([name, { version, status, held }]) => [`package ${name}`, `${version} ${status}${held ? ' held' : ''}`] as const,
  );
  return new Map([...units, ...installed]);
}

function changesBetween(before: Look | undefined, { files, others }: Look): readonly string[] {
  const changed = [...others].flatMap(([what, now]) => (before?.others.get(what) === now ? [] : [`${what}: ${now}`]));
  const written = [...files].flatMap(([path, now]) =>
    isSame(before?.files.get(path), now)
      ? []
      : [`file ${path}: ${now.type} ${now.owner}:${now.group} ${now.mode} ${digest(now.text)}`],
  );
  const gone = [...(before?.files.keys() ?? [])].flatMap((path) => (files.has(path) ? [] : [`file ${path}: removed`]));
  return [...changed, ...written, ...gone];
}

const isSame = (a: FileLook | undefined, b: FileLook): boolean =>
  a?.text === b.text && a.type === b.type && a.mode === b.mode && a.owner === b.owner && a.group === b.group;

function requestLine({ request }: Extract<Action, { do: 'request' }>): readonly string[] {
  const { method, path, json, form } = request;
  if (method === 'GET') return [];
  const body = json === undefined ? (form?.text ?? '') : JSON.stringify(json);
  return [`request ${method} ${path}${body === '' ? '' : ` ${digest(body)}`}`];
}

const digest = (text: string): string => sha256(text).slice(0, 12);
