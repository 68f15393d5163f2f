import { content, type FileContent } from '../../../../facts/file.js';
import { count } from '../../../../lib/count.js';
import { readYaml } from '../../../../modules/shared/yaml-tree.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import { defineModule, type At } from '../../../../terms/module.js';
import type { Args } from './schema.js';

export const securityBackup = defineModule<Args>()({
  name: 'security-backup',
  onlyLooks: true,
  needs: ({ directory, before, files }, at) => ({
    ...contents(directory, files, at),
    ...(before === undefined ? {} : contents(before, files, at)),
  }),
  touches: () => [],
  decide: (args, now) => judge(args, (directory, file) => now[pathOf(directory, file)]),
});

const pathOf = (directory: string, file: string): string => `${directory}/${file}.yml`;

const contents = (directory: string, files: readonly string[], { task }: At) =>
  Object.fromEntries(
    files.map((file) => [pathOf(directory, file), need(task.on, content, pathOf(directory, file))] as const),
  );

/** The names in a file: its top-level keys but the head. Undefined: the file is not one that the tool wrote. */
function namesIn(text: string): readonly string[] | undefined {
  const read = readYaml(text);
  if (read.is !== 'yaml' || read.yaml.root === undefined) return undefined;
  const keys = read.yaml.root.items.map(({ key }) => String(key));
  return keys.includes('_meta') ? keys.filter((key) => key !== '_meta') : undefined;
}

function judge(
  { directory, files, before, loss }: Args,
  textOf: (directory: string, file: string) => FileContent | undefined,
): Verdict {
  const incomplete: string[] = [];
  const lost: string[] = [];
  let names = 0;
  for (const file of files) {
    const text = textOf(directory, file)?.text;
    const now = text === undefined ? undefined : namesIn(text);
    if (now === undefined) {
      incomplete.push(`${file}.yml is ${text === undefined ? 'missing' : text.trim() === '' ? 'empty' : 'not whole'}`);
      continue;
    }
    names += now.length;
    const earlier = before === undefined ? undefined : textOf(before, file)?.text;
    const known = new Set(now);
    const gone = (earlier === undefined ? [] : (namesIn(earlier) ?? [])).filter((name) => !known.has(name));
    if (gone.length > 0) lost.push(`${file}: ${gone.join(', ')}`);
  }
  if (incomplete.length > 0)
    return blocked(
      `the backup of the security configuration in ${directory} is not complete: ${incomplete.join('; ')}`,
      `a push would take from the cluster what is missing; see what the security tool reports, then: runbook resume`,
    );
  if (lost.length === 0) return ok(`${count(files.length, 'file')} with ${count(names, 'name')}`);
  const reason = `the cluster has lost since the backup in ${before ?? ''}: ${lost.join('; ')}`;
  const hint = `if that was not intended, add them again from ${before ?? ''}`;
  return loss === 'error' ? blocked(reason, hint) : ok(reason, { lost }, [{ text: reason, hint }]);
}
