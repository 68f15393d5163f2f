import type { Audit } from '../../terms/event.js';
import type { Flags } from '../options/flags.js';
import { who } from './who.js';

/** Who starts this command, where, from where and why: what a run records of each of its parts. */
export const auditOf = ({ reason, ticket, waive }: Flags, env: NodeJS.ProcessEnv = process.env): Audit => {
  // `10.0.0.5 50022 10.0.0.1 22`
  const [client = ''] = (env['SSH_CONNECTION'] ?? '').split(' ');
  const sudoUser = env['SUDO_USER'] ?? '';
  return {
    ...who(),
    ...(sudoUser === '' ? {} : { sudoUser }),
    ...(client === '' ? {} : { client }),
    ...(reason === undefined ? {} : { reason }),
    ...(ticket === undefined ? {} : { ticket }),
    ...(waive.length === 0 ? {} : { waived: waive }),
  };
};
