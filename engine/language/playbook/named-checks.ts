import { nearest } from '../../lib/nearest.js';
import { isObject, type Json } from '../../terms/json.js';
import type { NamedCheck, Platform, Step } from '../../terms/playbook.js';
import { type Mistakes, suggest } from '../mistakes.js';
import type { LoadedPlaybook } from './load.js';
import { defaultMessage } from './step-load.js';
import { defined } from '../../lib/defined.js';
import type { PlatformFile, WrittenPlay, WrittenStep } from './written.js';

/** The playbook with the titles and texts that its steps have from named checks of the platform. A check that is not there is reported. */
export function withNamedChecks(loaded: LoadedPlaybook, file: PlatformFile, mistakes: Mistakes): LoadedPlaybook {
  const plays = loaded.plays.map((written): WrittenPlay => {
    const steps = written.steps.map((step) => named(step, written.play.path, file, mistakes));
    return { ...written, steps, play: { ...written.play, steps: steps.map(({ step }) => step) } };
  });
  return { ...loaded, plays, playbook: { ...loaded.playbook, plays: plays.map(({ play }) => play) } };
}

function named(written: WrittenStep, within: string, file: PlatformFile, mistakes: Mistakes): WrittenStep {
  const { step, source, path } = written;
  const { checks } = file.platform;
  if (step.check === undefined) return written;
  const check = Object.hasOwn(checks, step.check) ? checks[step.check] : undefined;
  if (check?.looks !== undefined) return looking(written, within, check, file, mistakes);
  if (check !== undefined) return { ...written, step: filled(step, within, check) };
  // Text of another form is reported by the schema.
  if (!/^[a-z][a-z0-9_]*$/.test(step.check)) return written;
  noSuchCheck(step.check, checks, mistakes, { source, path: [...path, step.module] });
  return written;
}

/** A name that is none of the platform's checks. */
export function noSuchCheck(
  name: string,
  checks: Platform['checks'],
  mistakes: Mistakes,
  place: Parameters<Mistakes['at']>[0],
): void {
  mistakes.at(place, `there is no check "${name}"`, {
    hint:
      suggest(nearest(name, Object.keys(checks)), Object.keys(checks), 'checks') ??
      'checks are declared in platform.yaml',
  });
}

/** Its mistakes are those of the platform's file, where its module and arguments stand. */
function looking(
  { step, source, path }: WrittenStep,
  within: string,
  { looks, description }: NamedCheck,
  file: PlatformFile,
  mistakes: Mistakes,
): WrittenStep {
  if (step.module === 'wait_for')
    mistakes.at({ source, path: [...path, 'wait_for'] }, `"${step.check}" has no condition to wait for`, {
      hint: 'a module looks in its place: write `check`',
    });
  const name = nameOf(step, { description });
  const there = { source: file.source, path: ['checks', step.check ?? ''] };
  return { ...there, step: { ...step, ...looks, name, path: `${within}/${name}` } };
}

function filled(step: Step, within: string, check: NamedCheck): Step {
  const { message, description, hint, failIf } = check;
  const name = nameOf(step, check);
  const args = {
    ...(isObject(step.args) ? step.args : {}),
    hint,
    // A wait that fails says what it waited for.
    ...(step.module === 'wait_for'
      ? { message, fail_if: failIf as Json | undefined }
      : { message: message ?? defaultMessage(description) }),
  };
  return { ...step, name, path: `${within}/${name}`, args: defined(args) };
}

/** The title of a step that has none is its check's. */
const nameOf = ({ name, check, module }: Step, { description }: Pick<NamedCheck, 'description'>): string =>
  name === check ? titleOf({ description }, module) : name;

/** `Nodes are in one cluster`, and of a wait `Wait until nodes are in one cluster`. A title is part of a path. */
export function titleOf({ description }: Pick<NamedCheck, 'description'>, module: string): string {
  const title = description.replaceAll(/[/@]/g, ' ');
  if (module !== 'wait_for') return title;
  return `Wait until ${title.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase())}`;
}
