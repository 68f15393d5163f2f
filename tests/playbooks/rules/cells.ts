import { findSteps } from '../../../engine/cli/run/steps-named.js';
import type { Project } from '../../../engine/language/project.js';
import { after, from, refusesOutput, stoppedAfter, upgraded, withAgents } from '../../mutate/ours.js';
import { to } from '../../mutate/scenarios/rollback.js';
import type { Options, Platform, Stage, Told } from '../../mutate/stage.js';
import { Oracle } from './oracle.js';

/** A playbook with options, on a platform. */
export interface Cell {
  readonly name: string;
  readonly on: string;
  readonly playbook: string;
  readonly options: Options;
  readonly change?: (project: Project) => Project;
}

/** The platform after what came before. */
export const STATES: Readonly<Record<string, (stage: Stage) => Promise<Platform>>> = {
  prepared: (stage) => after('prepare', stage),
  'one indexer done': (stage) => stoppedAfter(stage, 1),
  'indexers done': (stage) => after('indexer', stage),
  'a worker failed': (stage) => failed(stage, 'server-2'),
  'the master failed': (stage) => failed(stage, 'server-1'),
  'servers done': (stage) => after('server', stage),
  'all but the agents done': (stage) => upgraded(stage),
  'all done': (stage) => withAgents(stage),
};

async function failed(stage: Stage, host: string): Promise<Platform> {
  const p = (await after('indexer', stage)).clone();
  await p.run('server.yaml', refusesOutput(host));
  p.state.faults.length = 0;
  return p;
}

/** What installs, with what leads it there. */
const INSTALLING: readonly (readonly [playbook: string, options: Options])[] = [
  ...['upgrade-4.14.yaml', 'indexer.yaml', 'server.yaml', 'dashboard.yaml', 'agents.yaml'].map(
    (file) => [file, {}] as const,
  ),
  ...[
    'rollback.yaml',
    'rollback-indexer.yaml',
    'rollback-server.yaml',
    'rollback-dashboard.yaml',
    'rollback/server.yaml',
    'rollback/dashboard.yaml',
    'rollback/agents.yaml',
  ].map((file) => [file, to()] as const),
];
/** What installs nothing: no rule may be in its way. */
export const OTHERS: readonly string[] = [
  'saved-objects.yaml',
  'verify.yaml',
  'end-holds.yaml',
  'allow-allocation.yaml',
  'restart-dashboard.yaml',
];
const HOSTS = ['indexer-1', 'indexer-2', 'server-1', 'server-2', 'dashboard-1', 'linux-1'];

/** `starts`: a run starts at each step that installs, and at one of so many others. */
export async function cellsOn(on: string, stage: Stage, starts = Infinity): Promise<readonly Cell[]> {
  const cells: Cell[] = OTHERS.map((playbook) => ({ name: playbook, on, playbook, options: {} }));
  let others = 0;
  for (const [playbook, options] of INSTALLING) {
    const add = (how: string, more: Options['options'], change?: Cell['change']): void => {
      cells.push({
        ...{ name: `${playbook}${how}`, on, playbook, options: { ...options, ...(more && { options: more }) } },
        ...(change && { change }),
      });
    };
    add('', undefined);
    const project = await stage.shipped.project(playbook);
    const { plays } = project.playbook;
    for (const part of new Set(plays.flatMap(({ within }) => within.slice(0, 1))))
      add(` --tags "${part}"`, { tags: new Set([part]) }, tagged);
    for (const host of HOSTS) add(` --limit ${host}`, { limit: new Set([host]) });
    for (const host of ['indexer-2', 'server-2'])
      add(` --limit all,!${host}`, { limit: new Set(allBut(host, project)) });
    for (const { name, within, steps, leadsTo = {} } of plays)
      for (const step of steps) {
        const at = [...within, name, step.name].join(' / ');
        const isOther = starts < Infinity && step.required !== true && findSteps(project, at).length === 1;
        if (isOther) others += 1;
        if (Object.values(leadsTo).includes(step) || (isOther && others % starts === 0))
          add(` --start-at-step "${at}"`, undefined, from(at));
      }
  }
  return cells;
}

/** With the imported playbooks as tags, as an operator's own playbook may have them. */
const tagged = (project: Project): Project => ({
  ...project,
  playbook: {
    ...project.playbook,
    plays: project.playbook.plays.map((play) => ({ ...play, tags: [...play.tags, ...play.within.slice(0, 1)] })),
  },
});

const allBut = (host: string, { inventory }: Project): readonly string[] =>
  inventory.hosts.flatMap(({ name }) => (name === host ? [] : [name]));

export type Outcome =
  /** `by`: the rule that was broken first; empty where something else refuses it. */
  | { readonly is: 'refused'; readonly why: string; readonly by: string }
  /** Let by its plan, and not run. */
  | { readonly is: 'planned' }
  | { readonly is: 'ran'; readonly end: string; readonly faults: readonly string[] };

interface Judging {
  /** Without this rule, for what it is there for. */
  readonly without?: string;
  readonly planOnly?: boolean;
}

/** Plans the cell as the commands do, and runs it where the plan lets it. */
export async function judge(cell: Cell, p: Platform, { without, planOnly }: Judging = {}): Promise<Outcome> {
  const told = p.clone().told((whole) => {
    const project = p.change(whole);
    return withoutRule(cell.change?.(project) ?? project, without);
  });
  const planned = await told.clone().plan(cell.playbook, cell.options);
  if (planned.end === 'refused') return { is: 'refused', why: planned.why, by: await ruleIn(planned, cell, told) };
  if (planOnly === true) return { is: 'planned' };
  const oracle = new Oracle(told.state, '4.14.7');
  const ran = await told.run(cell.playbook, {
    ...cell.options,
    ...{ name: 'cell', answer: 'yes' },
    before: (act, state) => oracle.look(state, act),
  });
  oracle.look(told.state);
  return { is: 'ran', end: ran.end, faults: [...oracle.faults].sort() };
}

const withoutRule = (project: Project, rule: string | undefined): Project => ({
  ...project,
  playbook: {
    ...project.playbook,
    plays: project.playbook.plays.map((play) => ({
      ...play,
      steps: play.steps.filter(({ required, check }) => required !== true || check !== rule),
    })),
  },
});

/** The rule that refused the plan. */
async function ruleIn({ events }: Told, { playbook }: Cell, p: Platform): Promise<string> {
  const project = p.change(await p.stage.shipped.project(playbook));
  const rules = new Map(
    project.playbook.plays.flatMap(({ steps }) =>
      steps.flatMap(({ path, required, check }) => (required === true ? [[path, check ?? ''] as const] : [])),
    ),
  );
  const broken = events.find((e) => e.e === 'settled' && e.as === 'blocked' && rules.has(e.task.step));
  return broken?.e === 'settled' ? (rules.get(broken.task.step) ?? '') : '';
}
