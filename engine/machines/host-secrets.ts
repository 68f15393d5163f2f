import { content, type FileContent } from '../facts/file.js';
import type { Action, Outcome } from '../terms/action.js';
import type { Answer, Need } from '../terms/fact.js';
import type { Json } from '../terms/json.js';
import type { JobState, Secrets } from '../terms/machine.js';
import { mapTexts } from './http-answer.js';
import { meetSecrets } from './secrets.js';

const reference = /\{\{secret\.([A-Za-z0-9_-]+)\}\}/g;

/** Takes known values out of what a host said. */
export async function withoutSecrets(need: Need, answer: Answer, secrets: Secrets): Promise<Answer> {
  if (answer.is === 'failed') return { ...answer, reason: secrets.redact(answer.reason) };
  if (need.fact === content.name)
    return { ...answer, value: await contentWithout(answer.value as FileContent, secrets) };
  return { ...answer, value: mapTexts(answer.value, (text) => secrets.redact(text)) };
}

/**
 * A file's text is altered and written back, so a reference must lead back to exactly the bytes that it stands for. A value in another
 * form (base64, say) would come back as itself: such a text stays as it is, and whoever shows it takes the value out there.
 */
async function contentWithout(found: FileContent, secrets: Secrets): Promise<Json> {
  if (found === null) return null;
  const text = secrets.redact(found.text);
  return text === found.text || (await withValues(text, secrets)) !== found.text ? found : { ...found, text };
}

/** Puts values where a text has references that are known by name; one that cannot be had stays. */
async function withValues(text: string, secrets: Secrets): Promise<string> {
  const names = new Set([...text.matchAll(reference)].map((m) => m[1] ?? ''));
  const values = new Map<string, string>();
  for (const name of names) {
    const value = await secrets.value(name);
    if (value.is === 'value') values.set(name, value.value);
  }
  return text.replace(reference, (whole, name: string) => values.get(name) ?? whole);
}

/** An action with every secret in its place, or the outcome that says which cannot be had. Only for performing it at once. */
export async function withSecrets(
  action: Action,
  secrets: Secrets,
): Promise<Action | Extract<Outcome, { is: 'refused' }>> {
  const met = await meetSecrets(action, secrets);
  if (met.is === 'failed')
    return { is: 'refused', by: 'machine', found: met.reason, ...(met.hint === undefined ? {} : { hint: met.hint }) };
  const { value } = met;
  if (value.do !== 'write' || typeof value.content !== 'string') return value;
  return { ...value, content: await withValues(value.content, secrets) };
}

/** Takes known values out of what became of an effect. */
export const redacted = <T extends Outcome | JobState>(outcome: T, secrets: Secrets): T =>
  mapTexts(outcome, (text) => secrets.redact(text)) as unknown as T;
