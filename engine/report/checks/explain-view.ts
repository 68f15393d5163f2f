import { count } from '../../lib/count.js';
import { checksUsed } from '../../terms/checks-used.js';
import type { Condition } from '../../terms/condition.js';
import type { Block, NamedCheck, Play, Step } from '../../terms/playbook.js';
import { indent, printableLine, section } from '../style.js';

type Checks = Readonly<Record<string, NamedCheck>>;

/** Plays for a change ticket: their hosts, conditions, blocks and steps in order with sections, and what the named checks in them mean. */
export const explainView = (plays: readonly Play[], checks: Checks): string =>
  [...plays.map((play) => playText(play, checks)), ...namedCheckLines(plays, checks)].join('\n\n');

/** A phase of a playbook: what it does, where a run stops in it and what cannot be taken back, then its plays. */
export function phaseView(name: string, plays: readonly Play[], checks: Checks): string {
  const steps = plays.reduce((sum, play) => sum + play.steps.length, 0);
  const safe = plays.filter((play) => play.safePoint === true).map((play) => `"${play.name}"`);
  const points = plays.filter((play) => play.pointOfNoReturn !== undefined);
  const head = [
    `Phase ${name}: ${count(plays.length, 'play')}, ${count(steps, 'step')}`,
    ...plays.map((play, i) => `  ${i === 0 ? 'does: ' : '      '} ${play.name}${inBrackets(play.spec)}`),
    `  safe points: ${safe.length === 0 ? 'after each step' : `after each host in ${safe.join(', ')}; elsewhere after each step`}`,
    ...points.map((play) => `  point of no return, before "${play.name}": ${play.pointOfNoReturn ?? ''}`),
  ];
  return `${head.map(printableLine).join('\n')}\n\n${explainView(plays, checks)}`;
}

function playText(play: Play, checks: Checks): string {
  const lines = [
    `${[...play.within, play.name].join(' / ')}${inBrackets(play.spec)}`,
    `  hosts: ${hostsText(play)}`,
    ...(play.when === undefined ? [] : [`  when:  ${conditionText(play.when)}`]),
    ...(play.onHostFailure === 'continue' ? ['  a host that fails is left out, and the others continue'] : []),
    ...(play.safePoint === true ? ['  safe point: after each host'] : []),
    ...(play.pointOfNoReturn === undefined ? [] : [`  point of no return: ${play.pointOfNoReturn}`]),
  ];
  let open: readonly Block[] = [];
  for (const [i, step] of play.steps.entries()) {
    const entered = step.blocks.filter(({ path }) => !open.some((block) => block.path === path));
    for (const block of entered) lines.push(indent(blockText(block), 2 * (1 + step.blocks.indexOf(block))));
    lines.push(indent(stepText(step, i + 1, play.spec, checks), 2 * (1 + step.blocks.length)));
    open = step.blocks;
  }
  return lines.map(printableLine).join('\n');
}

const blockText = ({ name, when }: Block): string =>
  `${name}:${when === undefined ? '' : ` only where ${conditionText(when)}`}`;

function stepText(step: Step, number: number, around: string | undefined, checks: Checks): string {
  const { id, name, module, check, when, loop, temporary, runOnce, spec, required } = step;
  const waivable = checks[check ?? '']?.waivable !== false;
  const what = [
    required === true ? (waivable ? 'required' : 'required, cannot be waived:') : module.replace('_', ' '),
    ...(check === undefined ? [] : [check]),
  ].join(' ');
  const notes = [
    // By it the temporary changes of other steps name this one.
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(runOnce ? ['once'] : []),
    ...(when === undefined ? [] : [`only where ${conditionText(when)}`]),
    ...(loop === undefined
      ? []
      : [`for each of ${typeof loop === 'string' ? loop : (loop as readonly unknown[]).join(', ')}`]),
    ...(temporary === undefined ? [] : [restoreText(temporary)]),
  ];
  const end = notes.length === 0 ? '' : `; ${notes.join('; ')}`;
  return `${number}. ${name} (${what})${spec === around ? '' : inBrackets(spec)}${end}`;
}

function restoreText({ noRestoreAfter, restoredBy }: NonNullable<Step['temporary']>): string {
  const when = restoredBy === undefined ? 'at the end' : `by ${restoredBy}`;
  return noRestoreAfter === undefined
    ? `temporary, restored ${when} or on a failure`
    : `temporary, restored ${when}, and on a failure unless ${noRestoreAfter} began`;
}

/** The named checks that the plays use, each once, with those that they use themselves. */
export function namedCheckLines(plays: readonly Play[], checks: Checks): readonly string[] {
  const used = checksUsed(
    plays.flatMap(({ when, steps }) => [textOf(when), ...steps.map(textsOf)]),
    checks,
  );
  const named = Object.keys(checks).filter((name) => used.includes(name));
  if (named.length === 0) return [];
  const lines = named.map((name) => {
    const { description = '', that = true, looks } = checks[name] ?? {};
    const how = looks === undefined ? conditionText(that) : `${looks.module}: ${JSON.stringify(looks.args)}`;
    return `  ${name}: ${description}\n    ${printableLine(how)}`;
  });
  return [['Named checks', ...lines].join('\n')];
}

const textsOf = ({ blocks, when, check, args }: Step): string =>
  [...blocks.map((block) => textOf(block.when)), textOf(when), check ?? '', JSON.stringify(args)].join(' ');

const textOf = (condition: Condition | undefined): string => (condition === undefined ? '' : conditionText(condition));
/** Of a list all must hold. */
export function conditionText(condition: Condition): string {
  const parts = [condition].flat().map((one) => String(one).replace(/\s+/g, ' ').trim());
  return parts.length === 1
    ? (parts[0] ?? '')
    : parts.map((one) => (/\|\||\?/.test(one) ? `(${one})` : one)).join(' && ');
}
const inBrackets = (spec: string | undefined): string => (spec === undefined ? '' : `  ${section(spec)}`);

function hostsText({ hosts, runOnce, last, serial }: Play): string {
  const words = hosts === 'controller' ? hosts : hosts.join(', ');
  return [
    runOnce === true ? `the first of ${words}` : words,
    ...(last === undefined ? [] : [`last those of ${last.map((name) => `fact.${name}`).join(', then ')}`]),
    ...(serial === undefined ? [] : [`${serial.join(', then ')} at a time`]),
  ].join('; ');
}
