import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { modules } from '../../engine/cli/platforms.js';
import { load } from '../../engine/language/load.js';
import { textOf } from '../../engine/modules/shared/text-of.js';
import { groupBy } from '../../engine/lib/group-by.js';
import { isObject } from '../../engine/terms/json.js';
import type { Play, Step } from '../../engine/terms/playbook.js';
import { REASONS, SAME } from './check-reasons.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const COLUMNS = ['doctor', 'plan, apply', 'verify', 'diagnose'] as const;
export type Column = (typeof COLUMNS)[number];

/** The parts of the playbooks: the command that runs each, and what it makes of a check that is no warning. */
const PARTS = {
  doctor: { column: 'doctor', error: 'error' },
  prepare: { column: 'plan, apply', error: 'refuses' },
  change: { column: 'plan, apply', error: 'stops' },
  verify: { column: 'verify', error: 'fails' },
  baseline: { column: 'verify', error: 'reports' },
  diagnose: { column: 'diagnose', error: 'reports' },
} as const;
export type PartName = keyof typeof PARTS;

/** What is checked, in which parts, and what each command makes of it. */
export interface CheckRow {
  readonly title: string;
  /** The titles of its steps. */
  readonly names: readonly string[];
  readonly parts: readonly PartName[];
  readonly cells: ReadonlyMap<Column, string>;
}

interface Made {
  readonly title: string;
  readonly name: string;
  readonly part: PartName;
  readonly severity: string;
}

/** States of modules that can also act. */
const LOOKING = ['package available', 'agents not_newer', 'agents listed', 'agents active'];

const argOf = ({ args }: Step, key: string): string => (isObject(args) ? textOf(args[key]) : '');

const looks = (step: Step): boolean =>
  LOOKING.includes(`${step.module} ${argOf(step, 'state')}`) ||
  (step.module === 'command' && argOf(step, 'changes') === 'nothing') ||
  (modules.get(step.module)?.onlyLooks === true && step.module !== 'record' && argOf(step, 'state') !== 'recorded');

/** A verification starts a service that does not run: that is its check of it. */
const isCheck = (step: Step, part: PartName): boolean =>
  (step.remedy !== undefined && (step.module !== 'record' || part === 'baseline')) ||
  step.dryRun === true ||
  looks(step) ||
  (part === 'verify' && step.module === 'systemctl');

function severityOf(step: Step, part: PartName): string {
  const written = argOf(step, 'severity');
  const variable = /^\{\{vars\.(\w+)\}\}$/.exec(written)?.[1];
  const imported = variable === undefined ? undefined : step.vars[variable];
  const severity = typeof imported === 'string' ? imported : written;
  if (severity.startsWith('{{')) return `by \`${variable ?? ''}\``;
  if (step.module === 'confirm') return 'asks';
  if (step.module === 'warn') return 'warns';
  if (step.module === 'systemctl') return 'starts it';
  if (step.required === true) return 'refuses';
  return severity === 'warning' || (step.failureWarns === true && part !== 'diagnose') ? 'warns' : PARTS[part].error;
}

const titleOf = (name: string): string => Object.entries(SAME).find(([, names]) => names.includes(name))?.[0] ?? name;

/** The checks of a shipped playbook. One that the platform names has the title that it has there. */
async function checksOf(playbook: string, partOf: (play: Play) => PartName): Promise<readonly Made[]> {
  const inventory = [path.join(root, 'tests/demo/inventory.yaml')];
  const loaded = await load({ playbook, inventory, cwd: root, env: {}, shippedDir: path.join(root, 'playbooks') });
  if (!loaded.ok) throw new Error(`${playbook}: ${loaded.diagnostics.map(({ message }) => message).join('\n')}`);
  const { checks } = loaded.value.platform;
  return loaded.value.playbook.plays.flatMap((play) => {
    const part = partOf(play);
    return play.steps
      .filter((step) => isCheck(step, part))
      .map((step) => {
        const name = checks[step.check ?? '']?.description ?? step.name;
        return { title: titleOf(name), name, part, severity: severityOf(step, part) };
      });
  });
}

const IMPORTED: Readonly<Record<string, PartName>> = { Prepare: 'prepare', Verification: 'verify' };
const partOfUpgrade = ({ within }: Play): PartName => within.flatMap((name) => IMPORTED[name] ?? [])[0] ?? 'change';

/** In the order in which an upgrade comes to them; what only a diagnosis asks is at the end. */
export async function checkRows(): Promise<readonly CheckRow[]> {
  const made = await Promise.all([
    checksOf('doctor.yaml', () => 'doctor'),
    checksOf('upgrade-4.14.yaml', partOfUpgrade),
    checksOf('baseline.yaml', () => 'baseline'),
    checksOf('diagnose.yaml', () => 'diagnose'),
  ]);
  return groupBy(made.flat(), ({ title }) => title).map((alike) => {
    const severities = (column: Column): readonly string[] =>
      alike.filter(({ part }) => PARTS[part].column === column).map(({ severity }) => severity);
    return {
      title: alike[0].title,
      names: [...new Set(alike.map(({ name }) => name))],
      parts: [...new Set(alike.map(({ part }) => part))],
      cells: new Map(
        COLUMNS.flatMap((column) => {
          const text = [...new Set(severities(column))].join(', ');
          return text === '' ? [] : [[column, text] as const];
        }),
      ),
    };
  });
}

/** The index of the reason for an empty cell; -1: it has none. */
export const reasonOf = ({ title, parts }: CheckRow, column: Column): number =>
  REASONS.findIndex(
    ({ empty, of }) =>
      empty.includes(column) &&
      ('titles' in of ? of.titles.includes(title) : parts.every((part) => of.parts.includes(part))),
  );
