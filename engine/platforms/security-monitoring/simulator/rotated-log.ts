import { gunzipSync } from 'node:zlib';
import { answer } from '../../../facts/answer.js';
import { copyName, type RotatedDay, type RotatedLog, type RotatedLogQuestion } from '../facts/rotated-log.js';
import { dateText } from '../../../simulator/dates.js';
import { bytesOf, inodeOf } from '../../../simulator/files.js';
import type { HostState, PlatformState } from './state.js';
import type { Answer } from '../../../terms/fact.js';

const DAY_MS = 86_400_000;

/** The fact `rotated-log` of a model host, whose clock is UTC's. */
export function modelRotatedLog(state: PlatformState, host: HostState, key: string): Answer {
  const question = JSON.parse(key) as RotatedLogQuestion;
  const [log, copy] = [question.file, copyName(question)].map((path) => {
    const entry = host.files[path];
    return entry === undefined ? null : String(inodeOf(entry));
  });
  const data = host.files[`${question.directory}/data`] !== undefined;
  const rotated = copy !== null && copy !== log;
  return answer<RotatedLog>({
    log: log ?? null,
    kept: copy ?? null,
    data,
    days: rotated ? daysBetween(state, host, question) : [],
  });
}

function daysBetween({ nowMs }: PlatformState, host: HostState, question: RotatedLogQuestion): readonly RotatedDay[] {
  const fromMs = midnight(host.files[copyName(question)]?.changedAtMs ?? nowMs);
  const alike = [copyName(question), question.file].map((path) => firstLine(host, path));
  const count = Math.max(0, Math.round((midnight(nowMs) - fromMs) / DAY_MS));
  return Array.from({ length: count }, (_, i) => new Date(fromMs + i * DAY_MS)).flatMap(
    (at, i): readonly RotatedDay[] => {
      const day = at.toISOString().slice(0, 10);
      const plain = dateText(question.rotated, at);
      const file = host.files[plain] === undefined && host.files[`${plain}.gz`] !== undefined ? `${plain}.gz` : plain;
      const ready = `${question.directory}/${day}.json`;
      if (host.files[ready] !== undefined && host.files[`${ready}.gz`] === undefined)
        return [{ day, is: 'ready', file }];
      if (host.files[file] === undefined) return i === 0 ? [] : [{ day, is: 'missing', file }];
      return alike.includes(firstLine(host, file)) ? [] : [{ day, is: 'there', file }];
    },
  );
}

function firstLine(host: HostState, path: string): string {
  const entry = host.files[path];
  if (entry === undefined) return '';
  const text = path.endsWith('.gz') ? gunzipSync(bytesOf(entry)).toString('utf8') : entry.text;
  return text.split('\n')[0] ?? '';
}

const midnight = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;
