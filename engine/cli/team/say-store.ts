import { InvalidName, StoreUnavailable, type StoreCode } from '../../store/run-store.js';
import { refusal, type Refusal } from '../options/exit.js';

/** What is wrong with the team's store, and what to do; undefined for any other error. */
export function storeRefusal(error: unknown, code: number): Refusal | undefined {
  if (error instanceof InvalidName) return refusal(code, `the team's store: ${error.message}`);
  if (!(error instanceof StoreUnavailable)) return undefined;
  return refusal(code, storeText(error), storeHint(error));
}

export const storeText = ({ tried, answer }: StoreUnavailable): string => `the team's store: ${tried}: ${answer}`;
export const storeHint = ({ code }: StoreUnavailable): string => HINTS[code];

const HINTS: Readonly<Record<StoreCode, string>> = {
  unreachable: 'check its servers and the network; with RUNBOOK_STORE= a command works with what this machine has',
  busy: 'another process of this machine has the files; try again',
  'not-trusted': 'its certificate is not signed by store_ca, or is of another name',
  'not-permitted': 'check store_credentials, or store_user and store_password, and what that user may do',
  missing: 'the name in `store:` may be wrong; a new store is made by runbook store create (docs/teams.md)',
  full: 'raise the limit of its streams (docs/teams.md), then: runbook resume',
  'too-large': 'raise max_payload of its servers (docs/teams.md), then: runbook resume',
  damaged: 'what it has is not what was written; docs/teams.md says how runs continue without it',
};
