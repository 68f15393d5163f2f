import { showDuration } from '../../lib/duration.js';
import type { Recorded } from '../../terms/event.js';
import { taskKey } from '../../terms/task.js';
import { isQuestion } from '../counts.js';
import { printableLine } from '../style.js';
import { hostName } from '../../terms/subject.js';

/** The steps that act now, for output that cannot be drawn over. */
export class Acting {
  readonly #since = new Map<string, { readonly host: string; readonly text: string; readonly atMs: number }>();

  take({ event, atMs }: Recorded): void {
    if (event.e === 'run-ended') this.#since.clear();
    if (event.e === 'settled') this.#since.delete(taskKey(event.task));
    if (event.e !== 'intent' || this.#since.has(taskKey(event.task))) return;
    const text = `${printableLine(event.name)}: ${isQuestion(event) ? 'waiting for an answer' : 'running'}`;
    this.#since.set(taskKey(event.task), { host: hostName(event.task.on), text, atMs });
  }

  /** The one that acts for longest: `  … db-2  Upgrade the package: running for 1 min 30 s (and 2 more)`. */
  line(nowMs: number): string | undefined {
    const [first] = this.#since.values();
    if (first === undefined) return undefined;
    const others = this.#since.size - 1;
    const forMs = Math.round((nowMs - first.atMs) / 1000) * 1000;
    return `  … ${first.host}  ${first.text} for ${showDuration(forMs)}${others === 0 ? '' : ` (and ${others} more)`}`;
  }
}
