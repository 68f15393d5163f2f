import { basename } from 'node:path';
import { PLATFORM } from './keys.js';
import type { Path } from './mutants.js';

/** Where a step stands. Without a step: a play, or a step whose events have another name. */
export interface Place {
  readonly file: string;
  readonly play?: string;
  readonly step?: string;
}

/** Something with a name that other files mention: how it is mentioned, and what it mentions itself. */
interface Named {
  readonly mention: RegExp;
  readonly text: string;
}

interface Playbook {
  readonly plays?: readonly Play[];
  readonly requires?: unknown;
}
interface Play {
  readonly play?: string;
  readonly steps?: readonly { readonly step?: string; readonly steps?: unknown }[];
}
type Platform = Readonly<Record<'checks' | 'facts' | 'vars' | 'names', Readonly<Record<string, unknown>>>>;

/**
 * The steps and plays that mention what stands at this path of platform.yaml, by itself or by way of variables, facts, checks and files of steps.
 * None: it is mentioned nowhere, or where no play is.
 */
export function mentionsOf(path: Path, files: ReadonlyMap<string, unknown>): readonly Place[] {
  const own = mentionOf(path);
  return own === undefined ? [] : mentioning(own, files);
}

/** The plays that import this file of steps, by itself or by way of others. */
export const playsWith = (file: string, files: ReadonlyMap<string, unknown>): readonly Place[] =>
  (files.get(file) as Playbook).plays === undefined ? mentioning(mentionsFile(file), files) : [];

function mentioning(own: RegExp, files: ReadonlyMap<string, unknown>): readonly Place[] {
  const mentions = reaching([own], [...namedOfPlatform(files), ...filesOfSteps(files)]);
  const isIn = (what: unknown): boolean => mentions.some((mention) => mention.test(JSON.stringify(what ?? null)));
  const { checks: _, facts: _facts, vars: _vars, names: _names, ...everywhere } = files.get(PLATFORM) as Platform;
  // Invariants and the lines after a failure belong to no play, and what a playbook requires is asked in plays of others, too.
  if (isIn(everywhere) || [...files].some(([, playbook]) => isIn((playbook as Playbook).requires))) return [];
  return [...files].flatMap(([file, playbook]) =>
    ((playbook as Playbook).plays ?? []).flatMap(({ play, steps = [], ...own }) => {
      if (play === undefined) return [];
      const within = steps.flatMap((one): readonly Place[] =>
        isIn(one)
          ? [{ file, play, ...(one.step === undefined || one.steps !== undefined ? {} : { step: one.step }) }]
          : [],
      );
      return isIn(own) ? [{ file, play }, ...within] : within;
    }),
  );
}

/** These, and those of all that mentions them. */
function reaching(mentions: readonly RegExp[], all: readonly Named[]): readonly RegExp[] {
  const [near, far] = [
    all.filter(({ text }) => mentions.some((mention) => mention.test(text))),
    all.filter(({ text }) => !mentions.some((mention) => mention.test(text))),
  ];
  return near.length === 0 ? mentions : reaching([...mentions, ...near.map(({ mention }) => mention)], far);
}

/** How other files mention what stands at this path: `vars.node_name`, `indexer.package`, `node_rejoined`. */
function mentionOf([part, name, key]: Path): RegExp | undefined {
  if (typeof name !== 'string') return undefined;
  if (part === 'names') return typeof key === 'string' ? mentionsText(`${name}.${key}`) : undefined;
  return part === 'checks' ? mentionsText(name) : mentionsText(`${String(part).replace(/^facts$/, 'fact')}.${name}`);
}

/** By its name alone: a file beside it needs no folder for it. */
const mentionsFile = (file: string): RegExp => mentionsText(basename(file));

const mentionsText = (text: string): RegExp => new RegExp(`\\b${text.replaceAll('.', '\\.')}\\b`);

function namedOfPlatform(files: ReadonlyMap<string, unknown>): readonly Named[] {
  const platform = files.get(PLATFORM) as Platform;
  return (['checks', 'facts', 'vars'] as const).flatMap((part) =>
    Object.entries(platform[part]).flatMap(([name, value]): readonly Named[] => {
      const mention = mentionOf([part, name]);
      return mention === undefined ? [] : [{ mention, text: JSON.stringify(value) }];
    }),
  );
}

/** A file of steps is mentioned by the plays that import it. */
const filesOfSteps = (files: ReadonlyMap<string, unknown>): readonly Named[] =>
  [...files]
    .filter(([, playbook]) => (playbook as Playbook).plays === undefined)
    .filter(([file]) => file !== PLATFORM)
    .map(([file, playbook]) => ({ mention: mentionsFile(file), text: JSON.stringify(playbook) }));
