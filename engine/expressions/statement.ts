import type { Statement } from '../terms/condition.js';
import { cut } from './value.js';

const LONGEST = 100;
const LONGEST_ERROR = 300;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A reason in one line of at most 100 characters. */
export const reason = (text: string): string => cut(oneLine(text), LONGEST);

/** Why something cannot be read at all: nothing else says what to correct, and where. */
export const errorReason = (text: string): string => cut(oneLine(text), LONGEST_ERROR);

/** `server-1: installed.database is 15.8-1, not >= 15.9`. */
export function statementText({ of, subject, value, compared }: Statement): string {
  const about = of === undefined ? subject : `${of}: ${subject}`;
  if (value === undefined) return oneLine(compared === undefined ? about : `${about} ${relation(compared)}`);
  return oneLine(`${about} is ${value}${comparedText(value, compared)}`);
}

/** Of a value that is too long to show. */
const relation = ({ operator, wanted, holds }: NonNullable<Statement['compared']>): string =>
  operator === 'contains'
    ? `${holds ? 'contains' : 'does not contain'} ${wanted}`
    : `is ${holds ? '' : 'not '}${operator} ${wanted}`;

const WORDS: Readonly<Record<string, string>> = { '==': '', contains: 'containing ' };

function comparedText(value: string, compared: Statement['compared']): string {
  if (compared === undefined) return '';
  const { operator, wanted, holds } = compared;
  if (!holds) return `, not ${WORDS[operator] ?? `${operator} `}${wanted}`;
  return operator === '==' && wanted === value ? '' : ` (${operator} ${wanted})`;
}

/** As many statements as fit into one line, and how many more there are: `a is 1, not 2; b is "x", not "y" (and 3 more)`. */
export function reasonText(statements: readonly Statement[]): string {
  const [first, ...others] = statements;
  if (first === undefined) return '';
  const more = (shown: number): string =>
    shown === statements.length ? '' : ` (and ${statements.length - shown} more)`;
  let line = cut(statementText(first), LONGEST - more(1).length);
  let shown = 1;
  for (const one of others) {
    const longer = `${line}; ${statementText(one)}`;
    // The last ones are counted or shown, so the room for the count is kept while any is left.
    if (longer.length + more(shown + 1).length > LONGEST) break;
    line = longer;
    shown += 1;
  }
  return line + more(shown);
}
