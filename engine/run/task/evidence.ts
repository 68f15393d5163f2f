import { render } from '../../language/templates/render.js';
import { unifiedDiff } from '../../lib/diff.js';
import { compilePattern } from '../../lib/pattern.js';
import { maskPair, masked } from '../../modules/shared/mask.js';
import type { Evidence } from '../../terms/playbook.js';
import { isText } from '../../terms/secret.js';
import type { TaskAt } from './decide.js';
import type { Run } from '../run.js';
import { scopeOf } from '../facts/scope.js';
import { resolveFacts } from '../facts/resolve-facts.js';

/** A log is read from its end; the rest of it is on its host. */
const LAST = 10;
const LONGEST_LINE = 400;

/** What a check has to show for what it found, piece by piece; a piece that cannot be known, or that is empty, is left out. */
export async function evidenceOf(run: Run, { step, position }: TaskAt): Promise<readonly string[]> {
  const pieces = step.evidence ?? [];
  const shown = await resolveFacts(run, (lookup) => {
    const scope = scopeOf(run, { ...position, step }, lookup, []);
    const text = (template: string): string => {
      const rendered = render(template, scope);
      return rendered.is === 'value' && isText(rendered.value) && typeof rendered.value === 'string'
        ? rendered.value
        : '';
    };
    return pieces.map((piece) => showOne(piece, text));
  });
  return shown.filter((piece) => piece !== '');
}

/** The remedy, rendered; as it is written where something in it is not known. */
export async function remedyText(run: Run, { step, position }: TaskAt): Promise<string> {
  const written = step.remedy ?? '';
  const rendered = await resolveFacts(run, (lookup) =>
    render(written, scopeOf(run, { ...position, step }, lookup, [])),
  );
  return rendered.is === 'value' && typeof rendered.value === 'string' ? rendered.value : written;
}

function showOne(piece: Evidence, text: (template: string) => string): string {
  if (typeof piece === 'string') return lastOf(text(piece), LAST);
  const body = bodyOf(piece, text);
  return body === '' || piece.title === undefined ? body : `${piece.title}\n${body}`;
}

function bodyOf(piece: Exclude<Evidence, string>, text: (template: string) => string): string {
  if ('of' in piece) {
    const wanted = piece.lines === undefined ? undefined : compilePattern(piece.lines);
    return lastOf(text(piece.of), piece.last ?? LAST, wanted);
  }
  const [was, is] = maskPair(...(piece.differs.map(text) as [string, string]));
  if (was === '' || is === '') return '';
  return lastOf(differing(was, is), LAST * 2);
}

/** Only the lines that go and come: which file they are of is said by the check. */
function differing(was: string, is: string): string {
  const lines = unifiedDiff('', was, is).split('\n');
  const heading = lines.findIndex((line) => line.startsWith('@@'));
  return lines
    .slice(heading)
    .filter((line) => /^[-+]/.test(line))
    .join('\n');
}

function lastOf(text: string, most: number, wanted?: RegExp): string {
  const lines = masked(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && wanted?.test(line) !== false);
  return lines
    .slice(-most)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
    .join('\n');
}
