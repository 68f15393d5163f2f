import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
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

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

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
    this.#rotate(now);
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

  #rotate(now: Date): void {
    if (!existsSync(this.#path)) return;
    const written = statSync(this.#path).mtime;
    if (written.toDateString() === now.toDateString()) return;
    const day = String(written.getDate()).padStart(2, '0');
    const kept = at(
      `logs/alerts/${String(written.getFullYear())}/${months[written.getMonth()] ?? ''}/platform-alerts-${day}.json`,
    );
    mkdirSync(dirname(kept), { recursive: true, mode: 0o750 });
    renameSync(this.#path, kept);
  }
}
