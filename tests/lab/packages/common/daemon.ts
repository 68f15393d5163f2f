import { appendFileSync } from 'node:fs';
import { at } from './home.js';

export type Level = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

/** A daemon's line in the platform's log, which all daemons of a host share. */
export type Log = (level: Level, message: string) => void;

/** Gives this process its name and its log, and ends it on SIGTERM with a line in the log. */
export function beDaemon(name: string): Log {
  process.title = name;
  const log: Log = (level, message) => {
    appendFileSync(at('logs/platform.log'), `${stamp(new Date())} ${name}: ${level}: ${message}\n`);
  };
  process.on('SIGTERM', () => {
    log('INFO', '(1225): SIGNAL [(15)-(Terminated)] Received. Exit Cleaning...');
    process.exit(0);
  });
  log('INFO', `Started (pid: ${String(process.pid)}).`);
  return log;
}

/** `2026/11/20 22:04:11` in the host's own time, as in the platform's log. */
export function stamp(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('/');
  return `${day} ${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(':')}`;
}
