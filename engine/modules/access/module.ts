import { readable, type Readable } from '../../facts/readable.js';
import { ok } from '../../terms/change.js';
import { need, type Needs } from '../../terms/fact.js';
import { defineModule } from '../../terms/module.js';
import { wrongAccess } from '../shared/access.js';
import type { Args } from './schema.js';

export const access = defineModule<Args>()({
  name: 'access',
  onlyLooks: true,
  needs: (args, { task }): Needs =>
    Object.fromEntries(
      pathsOf(args).map(({ path, write }) => [path, need(task.on, readable, { user: args.user, path, write })]),
    ),
  touches: () => [],
  decide(args, now) {
    for (const { path, write, mayLack } of pathsOf(args)) {
      const found = now[path] as Readable;
      if (mayLack && typeof found === 'object' && found.by === 'absent') continue;
      const wrong = wrongAccess(args.user, path, found, write ? 'read and write' : 'read');
      if (wrong !== undefined) return wrong;
    }
    return ok(
      `${args.user} can use ${pathsOf(args)
        .map(({ path }) => path)
        .join(', ')}`,
    );
  },
});

interface Path {
  readonly path: string;
  readonly write: boolean;
  readonly mayLack: boolean;
}

const pathsOf = ({ read = [], write = [], read_existing: existing = [] }: Args): readonly Path[] => [
  ...read.map((path) => ({ path, write: false, mayLack: false })),
  ...write.map((path) => ({ path, write: true, mayLack: false })),
  ...existing.map((path) => ({ path, write: false, mayLack: true })),
];
