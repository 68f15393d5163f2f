import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Draft, DraftHost, LeftOut } from '../../init/draft.js';
import { inventoryText, placesOf, questionsOf, unlikeExample } from '../../init/inventory-text.js';
import { platformWords, rolesOf, type Role } from '../../init/roles.js';
import { textOrUndefined } from '../../lib/bounded-file.js';
import { count } from '../../lib/count.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { parseFlags } from '../options/flags.js';
import { printable } from '../../report/style.js';
import { openQuestions } from '../terminal/prompt.js';
import { askUntil, draftFor, unknownName } from '../init-draft.js';
import { pairs } from '../init-pairs.js';
import { platformJson } from '../options/platform-flags.js';
import { shippedDir } from '../options/project.js';
import { programRoot } from '../program-root.js';
import { whereOf } from '../run/unfinished.js';

/** `runbook init`: a commented inventory, from answers, flags or an Ansible inventory. It contacts nothing and overwrites nothing. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('init', argv);
  if (flags.positionals.length > 0)
    throw invalid(`init takes no "${flags.positionals[0] ?? ''}"; an Ansible inventory is --ansible FILE`);
  const file = flags.output ?? 'inventory.yaml';
  if (
    await stat(file).then(
      () => true,
      (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
    )
  )
    throw refusal(EXIT.invalid, `${file} exists; nothing was written`, 'write another file: runbook init -o FILE');
  const template = templateText();
  const questions = questionsOf(template);
  const platform = await platformJson(['.', 'playbooks', shippedDir()]);
  const roles = rolesOf(platform);
  const places = placesOf(template);
  const unlike = (place: string, value: string): string | undefined =>
    unlikeExample(value, questions.find((question) => question.place === place)?.text ?? '');
  const set = pairs('set', flags.set, (name) => unknownName('place', name, places), unlike);
  const map = pairs('map', flags.map, () => undefined);
  const roleNames = roles.map((role) => role.name);
  const named = pairs('hosts', flags.hosts, (name) => unknownName('role', name, roleNames));
  const terminal = openQuestions();
  const answers = new Map(set);
  let draft: Draft;
  try {
    draft = await draftFor(flags, roles, { map, named, words: platformWords(platform) }, terminal.ask);
    for (const { place, text } of questions) {
      if (answers.has(place)) continue;
      const answer = await askUntil(terminal.ask, `${place} (${text}):`, (given) => unlikeExample(given, text));
      if (answer !== '') answers.set(place, answer);
    }
  } finally {
    terminal.close();
  }
  if (terminal.interrupted()) throw refusal(EXIT.interrupted, 'nothing was written');
  const schema = path.join(programRoot, 'schemas', 'inventory.schema.json');
  const heading = [
    `yaml-language-server: $schema=${schema}`,
    ...(flags.ansible === undefined ? [] : [`Made from ${flags.ansible} by runbook init.`]),
  ];
  const text = inventoryText({ template, heading, draft, roles, answers });
  try {
    // Another process may have made it meanwhile.
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    throw refusal(
      EXIT.invalid,
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    );
  }
  report(file, text, roles, draft);
  return EXIT.done;
}

/** The text that is filled in: beside the platform file of the project at hand, else the shipped one. */
function templateText(): string {
  for (const directory of ['.', 'playbooks', shippedDir()]) {
    const text = textOrUndefined(path.join(directory, 'inventory.template'));
    if (text !== undefined) return text;
  }
  return '';
}

function report(
  file: string,
  text: string,
  roles: readonly Role[],
  { hosts, given, leftOut, renamed, notTaken }: Draft,
): void {
  const open = questionsOf(text).length;
  const where = whereOf({ inventory: [file] });
  const lines = [
    `Wrote ${file}: ${count(hosts.length, 'host')}. Roles: ${roleCounts(hosts, roles)}.`,
    ...given.map(([name, own]) => `  ${name} → ${own.join(', ')}`),
    ...leftOut.map(leftOutLine),
    ...listed(
      'Renamed',
      renamed.map(([from, to]) => `${from} to ${to}`),
    ),
    ...listed('Not taken over', notTaken),
    ...(open === 0 ? [] : [`${count(open, 'value')} to fill in: look for TODO.`]),
    `Next:  runbook validate upgrade-4.14.yaml${where}, then  runbook doctor upgrade-4.14.yaml${where}`,
  ];
  process.stdout.write(printable(`${lines.join('\n')}\n`));
}

const MOST_LISTED = 12;

const listed = (title: string, all: readonly string[]): readonly string[] => {
  const more = all.length > MOST_LISTED ? ` and ${all.length - MOST_LISTED} more` : '';
  return all.length === 0 ? [] : [`${title}: ${all.slice(0, MOST_LISTED).join(', ')}${more}`];
};

/** `store 3, web 2 (primary 1, replica 1)`: a host of a role that requires another one has both. */
function roleCounts(hosts: readonly DraftHost[], roles: readonly Role[]): string {
  const counted = (requires: string | undefined): readonly string[] =>
    roles
      .filter((role) => role.requires === requires)
      .flatMap(({ name }) => {
        const n = hosts.filter((host) => host.roles.includes(name)).length;
        const within = counted(name);
        return n === 0 ? [] : [`${name} ${n}${within.length === 0 ? '' : ` (${within.join(', ')})`}`];
      });
  return counted(undefined).join(', ');
}

function leftOutLine({ groups, hosts, why }: LeftOut): string {
  const [first = '', ...more] = hosts;
  const [group = ''] = groups.slice(-1);
  if (groups.length === 0 && why === 'no-role')
    return `Left out: ${hosts.join(', ')} (no group). To include: --hosts ROLE=${first}${more.length === 0 ? '' : ', and so for each'}`;
  const others = more.length === 0 ? '' : ` and ${count(more.length, 'more host')}`;
  const who = `Left out: ${first}${others} (${groups.length === 0 ? 'no group' : groups.join(', ')})`;
  if (why === 'mapped-to-none') return `${who}.`;
  return why === 'no-role'
    ? `${who}. To include: --map ${group}=ROLE`
    : `${who}: ${why.description}. To include all the same: --map ${group}=${why.name}`;
}
