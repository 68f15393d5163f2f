import { createHash } from 'node:crypto';
import type { Project } from '../../engine/language/project.js';
import { createPlatformState, type ModelSeed } from '../../engine/platforms/security-monitoring/simulator/create.js';
import type { PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import type { JsonObject } from '../../engine/terms/json.js';
import type { Action } from '../../engine/terms/action.js';
import type { Event, Verb } from '../../engine/terms/event.js';
import { keyOf } from '../../engine/terms/subject.js';
import { hintText } from '../../engine/terms/hint.js';
import type { Ran } from '../run/bench-hosts.js';
import { runOn, type Around } from '../playbooks/platform-bench.js';
import type { Shipped } from './shipped.js';

/** What a scenario is given: the playbooks as they are shipped, or a mutant of them. It collects which steps the runs came by. */
export class Stage {
  /** Paths of steps and plays of which a run had any event, in that order, with what each came to: see `markOf`. */
  readonly seen = new Map<string, Set<string>>();

  constructor(readonly shipped: Shipped) {}

  note(e: Event): void {
    const path = 'task' in e ? e.task.step : 'play' in e ? e.play : undefined;
    if (path === undefined) return;
    const marks = this.seen.get(path) ?? new Set();
    this.seen.set(path, marks);
    const mark = markOf(e);
    if (mark !== undefined) marks.add(mark);
  }

  /** A platform upon which playbooks are run. */
  async platform(seed: Partial<ModelSeed> = {}, change: (project: Project) => Project = (p) => p): Promise<Platform> {
    const { inventory } = change(await this.shipped.project(SMALLEST));
    return new Platform(this, createPlatformState({ from: '4.12.0', inventory, ...seed }), change);
  }

  /** A platform as these playbooks leave it: made once for all mutants that are not of them, and once for each mutant of them. */
  async after(playbooks: readonly string[], name: string, make: () => Promise<Platform>): Promise<Platform> {
    const states = this.shipped.areAsShipped(playbooks) ? made : this.shipped.made;
    const known = states.get(name) ?? make().then(({ state }) => state);
    states.set(name, known);
    return new Platform(this, structuredClone(await known), (p) => p);
  }
}

/** What a step or play came to, and why, in short; it begins with `-` where it was skipped. */
function markOf(e: Event): string | undefined {
  const short = (text: string): string =>
    createHash('sha256')
      .update(text.replace(/[\d.-]+/g, ''))
      .digest('base64url')
      .slice(0, 6);
  switch (e.e) {
    case 'task-skipped':
    case 'play-skipped':
      return `-${short(e.because)}`;
    case 'settled':
      return `${e.as} ${short(e.reason ?? '')}`;
    case 'warned':
      return `warned ${short(e.text)}`;
    case 'undecided':
      return `undecided ${short(e.because)}`;
    default:
      return undefined;
  }
}

/** States that playbooks led to, of which no mutant at hand alters any. */
const made = new Map<string, Promise<PlatformState>>();

/** Any playbook has the inventory. */
const SMALLEST = 'end-holds.yaml';

/** What one run did, and how it ended. */
export interface Told extends Ran {
  /** Each effect as it reached a host or an endpoint: `indexer-1: systemctl stop platform-indexer`, `indexer: POST /_flush`. */
  readonly acts: readonly string[];
  /** Why steps failed or were refused, a line each, with their hints. */
  readonly why: string;
  readonly warned: string;
  readonly asked: string;
}

export interface Options extends Around {
  readonly vars?: JsonObject;
  readonly verb?: Verb;
  /** Called before each effect is performed. */
  readonly before?: (act: string, state: PlatformState) => void;
}

export class Platform {
  constructor(
    readonly stage: Stage,
    readonly state: PlatformState,
    readonly change: (project: Project) => Project,
  ) {}

  /** The same platform as it is now, apart from this one. */
  clone(): Platform {
    return new Platform(this.stage, structuredClone(this.state), this.change);
  }

  /** The same platform, whose playbooks have another inventory. */
  told(change: (project: Project) => Project): Platform {
    return new Platform(this.stage, this.state, change);
  }

  async run(playbook: string, options: Options = {}): Promise<Told> {
    const { vars, verb = 'apply', before, ...around } = options;
    const project = this.change(await this.stage.shipped.project(playbook));
    const acts: string[] = [];
    const ran = await runOn({ ...project, extraVars: { ...project.extraVars, ...vars } }, this.state, verb, {
      ...around,
      actor: (machine) => {
        const real = around.actor?.(machine) ?? machine;
        return {
          ...real,
          perform: (on, action, context) => {
            const act = `${keyOf(on).replace(/^\w+:/, '')}: ${lineOf(action)}`;
            acts.push(act);
            before?.(act, this.state);
            return real.perform(on, action, context);
          },
        };
      },
    });
    for (const e of ran.events) this.stage.note(e);
    return { ...ran, acts, ...textsOf(ran, options.past?.length ?? 0) };
  }

  plan = (playbook: string, options: Options = {}): Promise<Told> => this.run(playbook, { ...options, verb: 'plan' });
}

function textsOf({ events }: Ran, from: number): Pick<Told, 'why' | 'warned' | 'asked'> {
  const lines = (f: (e: Ran['events'][number]) => string | undefined): string =>
    events
      .slice(from)
      .map(f)
      .filter((line) => line !== undefined)
      .join('\n');
  return {
    why: lines((e) => {
      if (e.e === 'settled')
        return e.as === 'ok' || e.as === 'done' ? undefined : `${e.reason ?? ''} | ${hintText(e.hint ?? '')}`;
      // What stops a run between two hosts is no step's failure.
      return e.e === 'run-ended' && e.as === 'failed' ? e.reason : undefined;
    }),
    warned: lines((e) => (e.e === 'warned' ? e.text : undefined)),
    asked: lines((e) =>
      (e.e === 'checked' || e.e === 'intent') && e.change?.sign === '?' ? e.change.summary : undefined,
    ),
  };
}

export function lineOf(action: Action): string {
  switch (action.do) {
    case 'run':
    case 'job':
      return action.command.argv.join(' ');
    case 'request':
      return `${action.request.method} ${action.request.path} ${JSON.stringify(action.request.json ?? '')}`;
    case 'copy':
    case 'move':
      return `${action.do} ${action.from} ${action.to}`;
    case 'extract':
      return `extract ${action.archive} ${action.into}`;
    case 'ask':
      return `ask ${action.question}`;
    default:
      return `${action.do} ${action.path}`;
  }
}
