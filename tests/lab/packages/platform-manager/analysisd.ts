import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { at, textOf } from '../common/home.js';
import { beDaemon, stamp } from '../common/daemon.js';
import { AlertFile } from './alert-file.js';
import { checkConfig } from './config-check.js';
import { linesAppended } from './lines-appended.js';

/** Seconds between two alerts of the manager about itself, so that a shipper always has something to carry. */
const heartbeatSeconds = 5;

const { config, errors } = checkConfig(textOf(at('etc/platform.conf')) ?? '', (list) => existsSync(at(list)));

if (errors.length > 0) {
  for (const error of [...errors, "(1202): Configuration error at 'etc/platform.conf'."]) {
    process.stderr.write(`${stamp(new Date())} platform-analysisd: ERROR: ${error}\n`);
  }
  process.exit(1);
}
if (!process.argv.includes('-t')) analyse();

/** Writes an alert at the start, at each heartbeat, and for each line that is appended to `queue/test-events`. */
function analyse(): void {
  const log = beDaemon('platform-analysisd');
  log('INFO', `Loaded ${String(config.lists.length)} lists: ${config.lists.join(', ')}.`);
  const alerts = new AlertFile({ host: hostname(), node: config.nodeName });
  const heartbeat = (): void => {
    alerts.add({
      id: '1002',
      level: 3,
      description: 'The manager is alive.',
      text: 'platform: alive',
      location: 'platform-monitord',
    });
  };
  alerts.add({
    id: '502',
    level: 3,
    description: 'Platform server started.',
    text: 'platform: Platform started.',
    location: 'platform-monitord',
  });
  setInterval(heartbeat, heartbeatSeconds * 1000);
  const events = at('queue/test-events');
  linesAppended(events, (line) => {
    alerts.add({ id: '100001', level: 5, description: 'A test event was read.', text: line, location: events });
  });
}
