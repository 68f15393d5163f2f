import { gunzipSync } from 'node:zlib';
import { answer } from '../facts/answer.js';
import { keptName, type KeptDay, type KeptLog, type KeptLogQuestion } from '../facts/kept-log.js';
import { bytesOf, inodeOf } from '../model/files.js';
import type { HostState, PlatformState } from '../model/state.js';
import type { Answer } from '../terms/fact.js';

const DAY_MS = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The fact `kept-log` of a model host, whose clock is UTC's. */
export function modelKeptLog(state: PlatformState, host: HostState, key: string): Answer {
  const question = JSON.parse(key) as KeptLogQuestion;
  const [log, kept] = [question.file, keptName(question)].map((path) => {
    const entry = host.files[path];
    return entry === undefined ? null : String(inodeOf(entry));
  });
  const data = host.files[`${question.keep}/data`] !== undefined;
  const rotated = kept !== null && kept !== log;
  return answer<KeptLog>({
    log: log ?? null,
    kept: kept ?? null,
    data,
    days: rotated ? daysBetween(state, host, question) : [],
  });
}

function daysBetween({ nowMs }: PlatformState, host: HostState, question: KeptLogQuestion): readonly KeptDay[] {
  const fromMs = midnight(host.files[keptName(question)]?.changedAtMs ?? nowMs);
  const alike = [keptName(question), question.file].map((path) => firstLine(host, path));
  const count = Math.max(0, Math.round((midnight(nowMs) - fromMs) / DAY_MS));
  return Array.from({ length: count }, (_, i) => new Date(fromMs + i * DAY_MS)).flatMap((at, i): readonly KeptDay[] => {
    const day = at.toISOString().slice(0, 10);
    const plain = written(question.rotated, at);
    const file = host.files[plain] === undefined && host.files[`${plain}.gz`] !== undefined ? `${plain}.gz` : plain;
    const ready = `${question.keep}/${day}.json`;
    if (host.files[ready] !== undefined && host.files[`${ready}.gz`] === undefined) return [{ day, is: 'ready', file }];
    if (host.files[file] === undefined) return i === 0 ? [] : [{ day, is: 'missing', file }];
    return alike.includes(firstLine(host, file)) ? [] : [{ day, is: 'there', file }];
  });
}

function firstLine(host: HostState, path: string): string {
  const entry = host.files[path];
  if (entry === undefined) return '';
  const text = path.endsWith('.gz') ? gunzipSync(bytesOf(entry)).toString('utf8') : entry.text;
  return text.split('\n')[0] ?? '';
}

/** As date(1) writes it. */
const written = (pattern: string, at: Date): string =>
  pattern
    .replace('%Y', String(at.getUTCFullYear()))
    .replace('%b', MONTHS[at.getUTCMonth()] ?? '')
    .replace('%d', String(at.getUTCDate()).padStart(2, '0'));

const midnight = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;
