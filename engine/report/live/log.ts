import type { Recorded } from '../../terms/event.js';
import { progressLine } from './progress.js';

/** Listens to a run; `close` resolves when all is written. */
export interface Log {
  readonly on: (recorded: Recorded) => void;
  close(): Promise<void>;
}

/** The run's log file: every event as a line for people, beside the journal. winston is loaded when a run begins. */
export async function createLog(file: string): Promise<Log> {
  const { default: winston } = await import('winston');
  const logger = winston.createLogger({
    level: 'debug',
    format: winston.format.printf((info) => `${String(info['time'])} ${info.level} ${String(info.message)}`),
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- winston's own types: its File is one
    transports: [new winston.transports.File({ filename: file, options: { flags: 'a', mode: 0o600 } })],
  });
  // The journal is what a run lives by; a log that cannot be written (a full disk) must not end it.
  let broken = false;
  logger.on('error', () => (broken = true));
  return {
    on(recorded) {
      const line = broken
        ? undefined
        : progressLine(recorded, { color: false, width: 200 }, { verbosity: 3, diff: true });
      if (line !== undefined)
        logger.log({ level: levelOf(recorded), message: line.trim(), time: new Date(recorded.atMs).toISOString() });
    },
    close: () =>
      new Promise((resolve) => {
        if (broken) {
          resolve();
          return;
        }
        logger.on('error', () => resolve());
        logger.on('finish', () => setImmediate(resolve));
        logger.end();
      }),
  };
}

const levelOf = ({ event }: Recorded): string =>
  event.e === 'warned' || event.e === 'host-lost'
    ? 'warn'
    : event.e === 'settled' && event.as !== 'ok' && event.as !== 'done'
      ? 'error'
      : 'info';
