import { textAt } from '../files.js';
import { done, fails, type Call, type Ended } from './call.js';

/**
 * `sh -c SCRIPT NAME ARG…`. The model has no shell: it knows scripts by what they are about. The check of the dashboard's
 * certificate names the keys `server.ssl.key` and `server.ssl.certificate`; any other script ends with 127.
 */
export function sh({ host, args }: Call): Ended {
  const [flag, script = '', , config = ''] = args;
  if (flag !== '-c') return fails(127, 'sh: the model runs no script files\n');
  if (script.includes('server.ssl.certificate'))
    return certificateCheck(textAt(host, config) ?? '', (path) => (textAt(host, path) ?? '') !== '');
  return fails(127, 'sh: the model does not know this script\n');
}

function certificateCheck(config: string, exists: (path: string) => boolean): Ended {
  for (const key of ['server.ssl.key', 'server.ssl.certificate']) {
    const path = new RegExp(`^ *${key.replaceAll('.', '\\.')}: *["']?([^"' #\\n]*)`, 'm').exec(config)?.[1] ?? '';
    if (path === '' || !exists(path))
      return { exit: 1, stdout: `${key} points to "${path}", which is not there\n`, stderr: '', tookMs: 20 };
  }
  return done();
}
