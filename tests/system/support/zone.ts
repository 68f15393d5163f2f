import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootOf } from '../../lab/disk.js';
import { run } from '../../lab/shell.js';
import type { LabHost } from '../../lab/topology.js';

const DAY = 86_400;

/**
 * Gives a host a time zone of its own in which it is this time of day now, as `23:59:50`, yesterday by the clock in Greenwich or today: all hosts
 * share one clock, but each has a zone. What reads the zone anew each time, as `date` does, has it at once.
 */
export async function makeIt(host: LabHost, day: 'yesterday' | 'today', timeOfDay: string): Promise<void> {
  const [hours = 0, minutes = 0, seconds = 0] = timeOfDay.split(':').map(Number);
  const now = Math.floor(Date.now() / 1000) % DAY;
  const east = hours * 3600 + minutes * 60 + seconds - now - (day === 'yesterday' ? DAY : 0);
  const folder = mkdtempSync(join(tmpdir(), 'runbook-zone-'));
  try {
    writeFileSync(join(folder, 'source'), `Zone Lab ${east < 0 ? '-' : ''}${clock(Math.abs(east))} - LAB\n`);
    await run('/usr/sbin/zic', ['-d', folder, join(folder, 'source')]);
    const place = join(rootOf(host), 'etc/localtime');
    rmSync(place, { force: true });
    copyFileSync(join(folder, 'Lab'), place);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const clock = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
