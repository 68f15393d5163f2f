import { readAnsible } from '../ansible/read.js';
import { hostMistakes } from '../ansible/host-mistakes.js';
import type { Mistake } from '../ansible/types.js';
import { draftFrom, NO_ROLE, type Choices } from '../init/ansible-draft.js';
import { draftOf, draftOfNothing, type Draft } from '../init/draft.js';
import { roleToChoose, type Role } from '../init/roles.js';
import { hostPattern } from '../ansible/host-pattern.js';
import { isHostAddress } from '../lib/host-address.js';
import { didYouMean } from './options/did-you-mean.js';
import { printable } from '../report/style.js';
import { EXIT, invalid, refusal, Refusal } from './options/exit.js';
import type { Flags } from './options/flags.js';
import { isAttended, type openQuestions } from './terminal/prompt.js';

type Named = ReadonlyMap<string, string>;
type Ask = ReturnType<typeof openQuestions>['ask'];
const listsOf = (texts: Named): Choices['map'] => new Map([...texts].map(([name, list]) => [name, listOf(list)]));

interface Given {
  readonly map: Named;
  readonly named: Named;
  readonly words: Choices['words'];
}

/** The hosts of a new inventory: those of an Ansible inventory, or those that flags or answers name. */
export async function draftFor(
  flags: Flags,
  roles: readonly Role[],
  { map, named, words }: Given,
  ask: Ask,
): Promise<Draft> {
  if (flags.ansible !== undefined)
    return draftFromAnsible(flags.ansible, roles, { map: listsOf(map), named: listsOf(named), words }, ask);
  if (map.size > 0) throw invalid('--map needs --ansible FILE');
  const hosts = new Map<string, readonly string[]>();
  for (const [role, list] of named) {
    const names = hostList(list);
    if (typeof names === 'string') throw invalid(`--hosts ${role}: ${names}`);
    hosts.set(role, names);
  }
  const asked = roles.filter(({ noPackages }) => !noPackages);
  if (hosts.size === 0 && !isAttended()) {
    const needed = asked.filter(({ min, requires }) => min > 0 && requires === undefined).map(({ name }) => name);
    throw refusal(
      EXIT.invalid,
      'no hosts were given, and there is no terminal to ask at; nothing was written',
      `give them: runbook init ${needed.map((role) => `--hosts ${role}=HOST,…`).join(' ')}`,
      'or an Ansible inventory: runbook init --ansible FILE',
    );
  }
  if (hosts.size === 0)
    for (const { name, description } of asked) {
      const question = `Hosts of role ${name} (${description}), names or addresses, separated by commas:`;
      const mistakeOf = (text: string): string | undefined => {
        const names = hostList(text);
        return typeof names === 'string' ? names : undefined;
      };
      const answer = hostList(await askUntil(ask, question, mistakeOf));
      if (typeof answer !== 'string' && answer.length > 0) hosts.set(name, answer);
    }
  return hosts.size === 0 ? draftOfNothing(roles) : draftOf(hosts, roles);
}

/** Asks until the answer is right, or there is none; gives '' then. */
export async function askUntil(
  ask: Ask,
  question: string,
  mistakeOf: (answer: string) => string | undefined,
): Promise<string> {
  let asked = question;
  for (;;) {
    const answer = (await ask(asked))?.trim() ?? '';
    const mistake = answer === '' ? undefined : mistakeOf(answer);
    if (mistake === undefined) return answer;
    asked = `  ${printable(mistake)}\n${question}`;
  }
}

/** Names, addresses and ranges such as `web-[01:20]`, separated by commas or blanks; or the first mistake. */
function hostList(text: string): readonly string[] | string {
  const all: string[] = [];
  for (const word of text.split(/[\s,]+/).filter((one) => one !== '')) {
    const pattern = hostPattern(word);
    if ('mistake' in pattern) return `"${word}": ${pattern.mistake}`;
    if (pattern.port !== undefined)
      return `"${word}" has a port; write it into the inventory afterwards: ssh: { port: ${pattern.port} }`;
    const wrong = pattern.names.find((name) => !isHostAddress(name));
    if (wrong !== undefined) return `"${wrong}" is no DNS name or IP address`;
    all.push(...pattern.names);
  }
  return all;
}

async function draftFromAnsible(file: string, roles: readonly Role[], choices: Choices, ask: Ask): Promise<Draft> {
  const read = await readAnsible(file, process.cwd());
  if (!read.ok) throw mistaken(read.mistakes);
  for (const note of read.notes) process.stderr.write(printable(`warning: ${note}\n`));
  const groups = [...new Set(read.hosts.flatMap((host) => host.groups))];
  const wrong = unknownIn(choices, {
    groups,
    hosts: read.hosts.map((host) => host.name),
    roles: roles.map((role) => role.name),
  });
  if (wrong !== undefined) throw invalid(wrong);
  const first = draftFrom(read.hosts, roles, choices);
  const mistakes = hostMistakes(file, first.bySsh);
  if (mistakes.length > 0) throw mistaken(mistakes);
  const draft = draftFrom(read.hosts, roles, { ...choices, named: await singleHosts(first, roles, choices, ask) });
  if (draft.hosts.length > 0) return draft;
  const alone = read.hosts.filter((host) => host.groups.length === 0).map((host) => host.name);
  throw refusal(
    EXIT.invalid,
    `no host of ${file} has a role; nothing was written`,
    ...(groups.length === 0 ? [] : [`groups: ${groups.join(', ')}`]),
    ...(alone.length === 0 ? [] : [`hosts in no group: ${alone.join(', ')}`]),
    `roles: ${roles.map(({ name }) => name).join(', ')}`,
    `give them roles: runbook init --ansible ${file}${groups.length === 0 ? '' : ` --map ${groups[0] ?? ''}=ROLE`}${alone.length === 0 ? '' : ` --hosts ROLE=${alone[0] ?? ''}`}`,
  );
}

function mistaken(mistakes: readonly Mistake[]): Refusal {
  const lines = mistakes.map(
    ({ at, message, hint }) => `${at}  ${message}\n${hint === undefined ? '' : `  ${hint}\n`}`,
  );
  return new Refusal(EXIT.invalid, `${lines.join('')}Nothing was written.\n`);
}

/** Asks which host has a role that only one can have, where the groups do not show it. */
async function singleHosts(
  { hosts }: Draft,
  roles: readonly Role[],
  { named }: Choices,
  ask: Ask,
): Promise<Choices['named']> {
  const all = new Map(named);
  for (const { withOneOf } of roles) {
    const [first = ''] = withOneOf;
    const open = hosts.filter((host) => withOneOf.length > 0 && host.roles.includes(roleToChoose(withOneOf)));
    if (open.length === 0 || !isAttended()) continue;
    const names = open.map((host) => host.name);
    const answer = await askUntil(ask, `Which host is ${first} (${names.join(', ')})?`, (given) =>
      unknownName('host', given, names),
    );
    if (answer !== '') all.set(first, [answer]);
  }
  return all;
}

interface Known {
  readonly groups: readonly string[];
  readonly hosts: readonly string[];
  readonly roles: readonly string[];
}

/** A name on the command line that the Ansible inventory or the platform does not have. */
function unknownIn({ map, named }: Choices, known: Known): string | undefined {
  const inMap = [...map].flatMap(([group, to]) => [
    unknownName('group', group, known.groups),
    ...to.map((role) => unknownName('role', role, [...known.roles, NO_ROLE])),
  ]);
  const inNamed = [...named].flatMap(([, hosts]) => hosts.map((host) => unknownName('host', host, known.hosts)));
  const first = (mistakes: readonly (string | undefined)[]): string | undefined =>
    mistakes.find((m) => m !== undefined);
  const [wrongMap, wrongNamed] = [first(inMap), first(inNamed)];
  if (wrongMap !== undefined) return `--map: ${wrongMap}`;
  return wrongNamed === undefined ? undefined : `--hosts: ${wrongNamed}`;
}

export function unknownName(noun: string, name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined;
  return `there is no ${noun} "${name}"${didYouMean(name, known) || `; use one of: ${known.join(', ')}`}`;
}

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
