import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { at } from '../common/home.js';

/** What an alert tells of the event that caused it. */
export interface Alert {
  id: string;
  level: number;
  description: string;
  text: string;
  location: string;
}

/** The day in the host's time zone, as the C library has it, in the form of a path. */
const dayOf = (...when: string[]): string =>
  execFileSync('date', [...when, '+%Y/%b/platform-alerts-%d.json'], { encoding: 'utf8', env: { LC_ALL: 'C' } }).trim();

/** The file that the shipper reads: one JSON line an alert, moved away at midnight as the real manager does. */
export class AlertFile {
  readonly #path = at('logs/alerts/alerts.json');
  readonly #from: { host: string; node: string };
  #count = 0;

  constructor(from: { host: string; node: string }) {
    this.#from = from;
  }

  /** Appends one alert with the time of now. */
  add(alert: Alert): void {
    const now = new Date();
    this.#rotate();
    this.#count += 1;
    const line = {
      timestamp: now.toISOString().replace('Z', '+0000'),
      rule: {
        level: alert.level,
        description: alert.description,
        id: alert.id,
        firedtimes: this.#count,
        mail: false,
        groups: ['platform'],
      },
      agent: { id: '000', name: this.#from.host },
      manager: { name: this.#from.host },
      cluster: { name: 'platform', node: this.#from.node },
      id: `${(now.getTime() / 1000).toFixed(3)}.${String(this.#count)}`,
      full_log: alert.text,
      decoder: { name: 'platform' },
      location: alert.location,
    };
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`, { mode: 0o640 });
  }

  #rotate(): void {
    if (!existsSync(this.#path)) return;
    const written = dayOf('--reference', this.#path);
    if (written === dayOf()) return;
    const kept = at(`logs/alerts/${written}`);
    mkdirSync(dirname(kept), { recursive: true, mode: 0o750 });
    renameSync(this.#path, kept);
  }
}
