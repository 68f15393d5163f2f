import { disk, type DiskState } from '../../facts/host.js';
import { showBytes, sizeBytes } from '../../lib/bytes.js';
import { blocked, ok, type Verdict } from '../../terms/change.js';
import { need, type Need } from '../../terms/fact.js';
import { defineModule } from '../../terms/module.js';
import type { Args } from './schema.js';

type Asked = Readonly<Record<`disk:${string}`, Need<DiskState>>>;

export const diskSpace = defineModule<Args>()({
  name: 'disk-space',
  onlyLooks: true,
  needs: ({ paths }, { task }): Asked => Object.fromEntries(paths.map((p) => [`disk:${p}`, need(task.on, disk, p)])),
  touches: () => [],
  decide: (args, found) => judge(args, found as unknown as Readonly<Record<`disk:${string}`, DiskState>>),
});

/** A path below another one is mostly on the same file system: paths with the same size and free space are reported once. */
function judge(args: Args, found: Readonly<Record<`disk:${string}`, DiskState>>): Verdict {
  const refuse = sizeBytes(args.refuse_below) ?? 0;
  const warn = sizeBytes(args.warn_below ?? '0B') ?? 0;
  const written = sizeBytes(args.to_be_written ?? '0B') ?? 0;
  const rooms = new Map<string, { readonly path: string; readonly free: number }>();
  for (const path of args.paths) {
    const { freeBytes = 0, totalBytes = 0 } = found[`disk:${path}`] ?? {};
    const free = Math.max(0, freeBytes - written);
    if (!rooms.has(`${free}/${totalBytes}`)) rooms.set(`${free}/${totalBytes}`, { path, free });
  }
  const all = [...rooms.values()];
  const freeText = ({ path, free }: { path: string; free: number }): string =>
    `${showBytes(free)} are free where ${path} is${written === 0 ? '' : ` once ${showBytes(written)} more are written there`}`;
  const full = all.find((r) => r.free < refuse);
  if (full !== undefined)
    return blocked(
      `only ${freeText(full)}: at least ${showBytes(refuse)} are asked for`,
      written === 0
        ? 'free space there, such as apt-get clean or dnf clean all; the limit is a variable'
        : 'free space there, or leave out what would be written: a variable asked for it',
    );
  return ok(
    all.map(freeText).join(', '),
    Object.fromEntries(all.map((r) => [r.path, r.free])),
    all.filter((r) => r.free < warn).map((r) => `only ${freeText(r)}: below ${showBytes(warn)}`),
  );
}
