import { content, type FileContent } from '../../../../facts/file.js';
import { probe, type ProbeAnswer } from '../../../../facts/host.js';
import { packageState, type PackageState } from '../../../../facts/package.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import { defineModule, type At, type More } from '../../../../terms/module.js';
import { ANY, DESCRIPTORS } from './descriptor.js';
import type { Args } from './schema.js';

export const plugins = defineModule<Args>()({
  name: 'plugins',
  onlyLooks: true,
  needs: ({ directory, package: name }, { task }) => ({
    found: need(task.on, probe, { argv: ['ls', directory] }),
    package: need(task.on, packageState, name),
  }),
  touches: () => [],
  decide(args, now, at, more) {
    const { file } = DESCRIPTORS[args.of];
    const paths = now.found.stdout
      .split('\n')
      .flatMap((name) => (name === '' ? [] : [`${args.directory}/${name}/${file}`]));
    const [first, ...rest] = paths;
    if (first === undefined) return ok(`there is no plug-in below ${args.directory}`);
    if (more === undefined)
      return {
        is: 'more',
        needs: {
          owned: ownersOf(now.package, [first, ...rest], at),
          ...Object.fromEntries(paths.map((path) => [path, need(at.task.on, content, path)])),
        },
      };
    return judge(args, pluginsIn(args, paths, more), ownedPaths(more));
  },
});

interface Plugin {
  readonly name: string;
  readonly path: string;
  readonly version: string;
}

/** What has no descriptor is no plug-in. */
const pluginsIn = ({ directory, of }: Args, paths: readonly string[], more: More): readonly Plugin[] =>
  paths.flatMap((path) => {
    const { file, engineIn } = DESCRIPTORS[of];
    const text = (more[path] as unknown as FileContent)?.text;
    if (text === undefined) return [];
    const version = engineIn(text) ?? 'no engine that it names';
    return [{ name: path.slice(directory.length + 1, -file.length - 1), path, version }];
  });

/** Asks the package manager which packages own these files; a file without one is an error in its answer. */
const ownersOf = ({ manager }: PackageState, paths: readonly [string, ...string[]], { task }: At) =>
  need(task.on, probe, {
    argv:
      manager === 'apt' ? ['dpkg-query', '-S', ...paths] : ['rpm', '-q', '--qf', '[%{FILENAMES}\\n]', '-f', ...paths],
  });

/** `PACKAGE: PATH` a line of dpkg's; of an rpm all its paths. */
const ownedPaths = ({ owned }: More): ReadonlySet<string> =>
  new Set((owned as unknown as ProbeAnswer).stdout.split('\n').map((l) => l.slice(l.indexOf('/'))));

function judge(
  { of, package: name, engine = '', allow = [], reinstalled = [] }: Args,
  all: readonly Plugin[],
  owned: ReadonlySet<string>,
): Verdict {
  const built = all.filter((p) => p.version !== ANY && !reinstalled.some((one) => one.name === p.name));
  const other = built.filter((p) => engine !== '' && p.version !== engine);
  if (other[0] !== undefined)
    return blocked(
      `${listed(other)} ${other.length === 1 ? 'was' : 'were'} built for another engine than ${engine}: the ${of} does not start with ${other.length === 1 ? 'it' : 'them'}`,
      `remove it, or install the one for this engine; the upgrade reinstalls what the variable ${of}_plugins names`,
    );
  const foreign = built.filter((p) => !owned.has(p.path));
  const refused = foreign.filter((p) => !allow.includes(p.name));
  if (refused.length > 0)
    return blocked(
      `${listed(refused)} came with no package, so ${name}'s upgrade leaves it as it is, built for the engine that is there now`,
      `name it, with the archive for the new engine, in the variable ${of}_plugins: the upgrade installs that one; or in plugins_allowed when you know that it fits`,
    );
  return ok(
    `${all.length} plug-ins fit`,
    null,
    foreign.length === 0
      ? []
      : [`${listed(foreign)} stays as it is, though the engine may change: allowed by plugins_allowed`],
  );
}

const listed = (some: readonly Plugin[]): string => some.map((p) => `plug-in ${p.name} (for ${p.version})`).join(', ');
