import { seal, unseal } from '../lib/sealed.js';
import { isObject } from '../terms/json.js';
import type { FileContent } from './file.js';

/** Of each host, beside the lease: tasks that outlive a run, its controller and a reboot. */
export const PENDING_TASKS = '/var/lib/runbook/pending';

export const pathOfTask = (task: string): string => `${PENDING_TASKS}/${task}`;

/** What the file of a task holds: its text with a checksum, and its name, so that no other task's file passes for it. */
export const contentOfTask = (task: string, text: string): string => `${seal(JSON.stringify({ task, text }))}\n`;

/** `unsummed`: an earlier version wrote it, or an operator; damage would not be noticed. */
export type RecordedText =
  | { readonly is: 'text' | 'unsummed'; readonly text: string }
  | { readonly is: 'damaged'; readonly reason: string; readonly hint: string };

/** The text of a file as it was recorded or written: that of a pending task without what its file adds. */
export function textIn(path: string, { text }: NonNullable<FileContent>): RecordedText {
  if (!path.startsWith(`${PENDING_TASKS}/`)) return { is: 'text', text };
  const sealed = unseal(Buffer.from(text.trimEnd()));
  const { task, text: recorded } = isObject(sealed) ? sealed : {};
  if (typeof task === 'string' && pathOfTask(task) === path && typeof recorded === 'string')
    return { is: 'text', text: recorded };
  if (WITHOUT_SUM.test(text)) return { is: 'unsummed', text };
  return {
    is: 'damaged',
    reason: `${path} is damaged, so it is not known what is pending there`,
    hint: `write its text into the file by hand (docs/modules/pending-task.md), or remove the file if nothing is pending`,
  };
}

/** No part of a file with a checksum looks like this: whole lines of words, without JSON. */
const WITHOUT_SUM = /^(?:[^{"\p{Cc}]|\n)+$/u;
