import { modelReadable } from '../../../../simulator/certificates.js';
import { entryAt } from '../../../../simulator/files.js';
import { done, type Call, type Ended } from './call.js';

/** `sh -c SCRIPT sh CONFIG KEYS COUNTERS`: those that the agent's user cannot use, a line each. */
export function agentFiles({ host, user, args }: Call): Ended {
  const [config = '', keys = '', counters = ''] = args.slice(3);
  const may = (path: string, write: boolean): boolean => {
    const found = modelReadable(host, JSON.stringify({ user, path, write }));
    return found.is === 'value' && found.value === 'yes';
  };
  const wrong = [
    ...(entryAt(host, config) === undefined ? [config] : []),
    ...(may(keys, false) ? [] : [keys]),
    ...(entryAt(host, counters) === undefined || may(counters, true) ? [] : [counters]),
  ];
  return done(wrong.map((path) => `${path}\n`).join(''));
}
