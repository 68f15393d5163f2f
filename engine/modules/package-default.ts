import { content, type FileContent } from '../facts/file.js';
import type { PackageBrings } from '../facts/package-brings.js';
import { packageBrings } from '../facts/package-brings.js';
import { packageKeptFile } from '../facts/package-kept.js';
import { packageFile } from '../facts/package-staged.js';
import { ok, type Verdict } from '../terms/change.js';
import { need } from '../terms/fact.js';
import { defineModule, type More } from '../terms/module.js';
import { settleText, textNeeds, textTouches } from './text-file.js';

/** Mirrors schemas/modules/package-default.schema.json. */
interface Args {
  readonly name: string;
  readonly version: string;
  readonly next: string;
  readonly path: string;
  readonly to: string;
  readonly archive: string;
}

export const packageDefault = defineModule<Args>()({
  name: 'package-default',
  summary: 'Save the default content of a configuration file in the installed version of a package (§9.4.5).',
  needs: ({ name, version, next, path, to, archive }, { task: { on } }) => ({
    ...textNeeds(on, to),
    used: need(on, content, path),
    archived: need(on, packageKeptFile, { name, version, directory: archive }),
    staged: need(on, packageFile, { name, version }),
    coming: need(on, packageFile, { name, version: next }),
  }),
  touches: ({ to }, { task }) => textTouches(task.on, to),
  decide(args, now, at, more) {
    const { name, version, path, to } = args;
    const files = { own: now.archived ?? now.staged, next: now.coming };
    if (more === undefined && (files.own ?? files.next) !== null)
      return {
        is: 'more',
        needs: Object.fromEntries(
          Object.entries(files).flatMap(([key, file]) =>
            file === null ? [] : [[key, need(at.task.on, packageBrings, { name, file, paths: [path] })]],
          ),
        ),
      };
    const found = ownDefault(path, more) ?? (isUntouched(path, more) ? now.used : null);
    if (found === null) return unknown(args);
    return settleText(
      {
        path: to,
        now: { state: now.state, text: now.text },
        text: found.text,
        encoding: found.encoding,
        ownership: { mode: '0600' },
        summary: `the default ${path} of ${name} ${version} → ${to}`,
        because: `${to} holds the default ${path} of ${name} ${version}`,
      },
      at,
    );
  },
});

/** As the package file of the installed version has it. */
function ownDefault(path: string, more: More | undefined): FileContent {
  const brought = pathOf(path, more?.['own']);
  return brought === undefined ? null : (brought.next?.content ?? null);
}

/** The package manager's own record says that the file was not changed since the installed version brought it. */
const isUntouched = (path: string, more: More | undefined): boolean =>
  pathOf(path, more?.['next'] ?? more?.['own'])?.untouched === true;

function pathOf(path: string, answer: unknown): Exclude<PackageBrings['paths'][string], 'scripts'> | undefined {
  const found = (answer as PackageBrings | undefined)?.paths[path];
  return found === 'scripts' ? undefined : found;
}

const unknown = ({ name, version, path }: Args): Verdict =>
  ok(`the default ${path} of ${name} ${version} is not known`, undefined, [
    `the default ${path} of ${name} ${version} is not known (its package is not archived): every option that differs from the new defaults is kept`,
  ]);
