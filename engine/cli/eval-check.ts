import { parseExpression } from '../expressions/parse.js';
import { mistakesIn } from '../language/validate/expression.js';
import { projectVocabulary } from '../language/validate/names.js';
import { formatDiagnostics } from '../language/diagnostic-text.js';
import { hostNames } from '../language/inventory/host-names.js';
import type { Project } from '../language/project.js';
import type { Diagnostic } from '../terms/diagnostic.js';

const FILE = 'expression';

/** Why names of a playbook have no value here. */
const OF_PLAYBOOKS: Readonly<Record<string, string>> = {
  registered: 'a registered value exists during a run only',
  item: 'an element of a loop exists during a run only',
};

interface Found {
  readonly reason: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
}

/** All that is wrong with an expression, as `validate` reports it; without a project only its syntax. Undefined: nothing. */
export function checkTyped(text: string, project?: Project, host?: string): string | undefined {
  const found = project === undefined ? syntaxOf(text) : mistakesOf(text, project, host);
  if (found.length === 0) return undefined;
  return formatDiagnostics(
    found.map((one) => diagnosticOf(text, one)),
    [{ file: FILE, text }],
  );
}

function syntaxOf(text: string): readonly Found[] {
  const parsed = parseExpression(text);
  return parsed.ok ? [] : [parsed.mistake];
}

function mistakesOf(text: string, project: Project, host: string | undefined): readonly Found[] {
  const found = mistakesIn(text, projectVocabulary({ ...project, plays: project.playbook.plays }), true).map(
    (mistake) => ofPlaybook(text, mistake),
  );
  return found.length === 0 && host === undefined ? withoutHost(text, project) : found;
}

/** A name of playbooks is undefined for that reason, whatever its key. */
function ofPlaybook(text: string, found: Found): Found {
  const root = /^\w+/.exec(text.slice(found.start))?.[0] ?? '';
  const hint = Object.hasOwn(OF_PLAYBOOKS, root) ? OF_PLAYBOOKS[root] : undefined;
  return hint === undefined ? found : { ...found, reason: `"${root}" is undefined here`, hint };
}

/** Names of one host, where no host is given. */
function withoutHost(text: string, project: Project): readonly Found[] {
  const example = project.inventory.hosts[0]?.name ?? 'NAME';
  return hostNames(text, project).map(({ path, start, end }) => ({
    reason: `"${path.join('.')}" depends on the host`,
    start,
    end,
    hint: `add --host NAME, such as --host ${example}`,
  }));
}

function diagnosticOf(text: string, { reason, start, end, hint }: Found): Diagnostic {
  const before = text.slice(0, start).split('\n');
  return {
    file: FILE,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    length: Math.max(1, text.slice(start, end).split('\n')[0]?.length ?? 1),
    message: reason,
    ...(hint === undefined ? {} : { hint }),
  };
}
