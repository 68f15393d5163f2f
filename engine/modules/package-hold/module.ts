import { content, file, type FileContent } from '../../facts/file.js';
import { packageState, type PackageState } from '../../facts/package.js';
import { packageLock } from '../../facts/package-lock.js';
import type { Action } from '../../terms/action.js';
import { ok, type Change, type Prediction, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import type { Subject } from '../../terms/subject.js';
import { defineModule, type At } from '../../terms/module.js';
import { packageCommands } from '../package/commands.js';
import { judged } from '../package/judged.js';
import { contentOf } from '../shared/text-file.js';
import type { Args } from './schema.js';

/** An installed package that the step is about. */
interface Installed {
  readonly name: string;
  readonly now: PackageState & { readonly installed: string };
}

const TIMEOUT_MS = 300_000;

type States = Readonly<Record<`package:${string}`, PackageState>>;

interface Asked {
  readonly [name: string]: Need;
  readonly noted: Need<FileContent>;
}

const needsOf = ({ packages, note }: Args, on: Subject): Asked => ({
  noted: need(on, content, note),
  ...Object.fromEntries(packages.map((name) => [`package:${name}`, need(on, packageState, name)])),
});

export const packageHold = defineModule<Args>()({
  name: 'package-hold',
  needs: (args, { task }) => needsOf(args, task.on),
  touches: (args, { task }) => [...Object.values(needsOf(args, task.on)), need(task.on, file, args.note)],
  decide(args, found, at, more) {
    const noted = found.noted === null ? undefined : new Set(found.noted.text.split('\n').filter((l) => l !== ''));
    const concerned = args.packages.flatMap((name): readonly Installed[] => {
      const now = (found as unknown as States)[`package:${name}`];
      if (now?.installed == null || noted?.has(name) === false) return [];
      return [{ name, now: { ...now, installed: now.installed } }];
    });
    return args.state === 'held'
      ? decideHeld(args, { noted: noted !== undefined, ...byHold(concerned) }, at, more)
      : decideFree(args, { noted: found.noted, held: concerned.filter(({ now }) => now.held) }, at);
  },
  judge: (_args, outcome) => judged(outcome),
});

const byHold = (packages: readonly Installed[]): { free: readonly Installed[]; held: readonly Installed[] } => ({
  free: packages.filter(({ now }) => !now.held),
  held: packages.filter(({ now }) => now.held),
});

/** Packages that were held before the run are in no note, and stay held. The note is written first: a name too many does no harm. */
function decideHeld(
  { note }: Args,
  { noted, free, held }: ReturnType<typeof byHold> & { readonly noted: boolean },
  at: At,
  more: Readonly<Record<string, unknown>> | undefined,
): Verdict {
  const { on } = at.task;
  const [first] = free;
  const warnings = noted || held.length === 0 ? [] : [heldBefore(held)];
  if (first === undefined) return ok('they are held', undefined, warnings);
  if (first.now.manager !== 'apt') {
    if (more === undefined) return { is: 'more', needs: { able: need(on, packageLock, undefined) } };
    if (more['able'] === false)
      return ok('nothing here can hold them', null, [...warnings, cannot(first.now, namesOf(free), on)]);
  }
  const text = free.map(({ name }) => `${name}\n`).join('');
  return {
    is: 'change',
    change: {
      summary: `package versions locked: ${namesOf(free)}`,
      sign: '~',
      warnings,
      actions: [
        ...(noted ? [] : [{ do: 'write', path: note, content: text, replaces: 'nothing', mode: '0600' } as const]),
        ...free.flatMap((one) => commands(one, true)),
      ] as unknown as Change['actions'],
      touches: touched(note, free, on),
      predicts: [
        ...predicted(free, true, on),
        ...(noted ? [] : [{ ref: need(on, content, note), value: contentOf(Buffer.from(text)) }]),
      ],
    },
  };
}

function decideFree(
  { note }: Args,
  { noted, held }: { readonly noted: FileContent; readonly held: readonly Installed[] },
  at: At,
): Verdict {
  const { on } = at.task;
  if (noted === null) return ok('nothing was held for an upgrade');
  return {
    is: 'change',
    change: {
      summary: held.length === 0 ? `${note} is done with` : `no longer held: ${namesOf(held)}`,
      sign: '~',
      actions: [
        ...held.flatMap((one) => commands(one, false)),
        { do: 'remove', path: note },
      ] as unknown as Change['actions'],
      touches: touched(note, held, on),
      predicts: [...predicted(held, false, on), { ref: need(on, content, note), value: null }],
    },
  };
}

const namesOf = (packages: readonly Installed[]): string => packages.map(({ name }) => name).join(', ');

const heldBefore = (packages: readonly Installed[]): string =>
  `held before this run: ${namesOf(packages)}; the upgrade passes over that hold, and puts it back`;

const cannot = ({ manager }: PackageState, names: string, on: Subject): string =>
  `${'host' in on ? on.host : 'this host'}: ${names} cannot be held, for ${manager} lacks its plug-in for version locks: ` +
  `install ${manager === 'yum' ? 'yum-plugin-versionlock' : "'dnf-command(versionlock)'"}, or make sure that no packages are upgraded there until the end`;

const commands = ({ name, now }: Installed, wanted: boolean): readonly Action[] => {
  const { env, hold } = packageCommands[now.manager];
  const asked = { name, version: now.installed, before: null, was: now.held, wanted, installs: false };
  return hold(asked).map((argv) => ({
    do: 'run',
    command: { argv, env, timeoutMs: TIMEOUT_MS },
    expect: { exit: [0], notStdout: '^No package found for' },
  }));
};

const touched = (note: string, packages: readonly Installed[], on: Subject): Change['touches'] => [
  ...packages.map(({ name }) => need(on, packageState, name)),
  need(on, content, note),
  need(on, file, note),
];

const predicted = (packages: readonly Installed[], held: boolean, on: Subject): readonly Prediction[] =>
  packages.map(({ name, now }) => ({
    ref: need(on, packageState, name),
    value: { ...now, held, status: now.manager === 'apt' ? `${held ? 'h' : 'i'}${now.status.slice(1)}` : now.status },
  }));
