import { filesWith, Shipped } from './shipped.js';
import { Stage } from './stage.js';

/** What an operator would miss if it were not so, tried on the model. It fails by throwing. */
export interface Scenario {
  /** A sentence that is true of the shipped playbooks. */
  readonly name: string;
  readonly run: (stage: Stage) => Promise<void>;
  /** It looks at all that its playbook does. */
  readonly whole?: true;
  /** The arguments that it is about. */
  readonly about?: readonly string[];
}

export const scenario = (name: string, run: Scenario['run']): Scenario => ({ name, run });

export const whole = (name: string, run: Scenario['run']): Scenario => ({ name, run, whole: true });

export const about = (keys: readonly string[], name: string, run: Scenario['run']): Scenario => ({
  name,
  run,
  about: keys,
});

/** Where a scenario comes by on the shipped playbooks, and how long it takes: what is elsewhere it cannot notice. */
export interface Course {
  readonly name: string;
  readonly files: readonly string[];
  /** By the paths of plays and steps, in the order in which it came by: what each came to (`markOf`). */
  readonly seen: Readonly<Record<string, readonly string[]>>;
  readonly tookMs: number;
}

/** Runs a scenario on the shipped playbooks, which one process loads once; throws when it is not true of them. */
export async function follow({ name, run }: Scenario, shipped: Shipped): Promise<Course> {
  shipped.used.clear();
  const stage = new Stage(shipped);
  const start = performance.now();
  await run(stage);
  const files = new Set([...shipped.used].flatMap((playbook) => [...filesWith(playbook)]));
  return {
    name,
    files: [...files].sort(),
    seen: Object.fromEntries([...stage.seen].map(([path, marks]) => [path, [...marks]])),
    tookMs: Math.round(performance.now() - start),
  };
}
