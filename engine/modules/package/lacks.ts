import { packageLacks, type PackageLacks } from '../../facts/package-lacks.js';
import { blocked, type Verdict } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import type { At, More } from '../../terms/module.js';
import type { PackageArgs } from './schema.js';

/** Is each file that must be there after the installation in the package, or on the host? `otherwise` where it is. */
export function decideLacks(
  { name, version, must_have: { in: below, files } = { in: '', files: [] } }: PackageArgs,
  otherwise: Verdict,
  at: At,
  more?: More,
): Verdict {
  if (more === undefined) {
    const paths = files.map((file) => `${below}/${file}`);
    return { is: 'more', needs: { lacks: need(at.task.on, packageLacks, { name, version, paths }) } };
  }
  const lacks = more['lacks'] as PackageLacks;
  if (lacks === null || lacks.length === 0) return otherwise;
  return blocked(
    `${lacks.join(', ')}: neither ${name} ${version} nor the host has ${lacks.length === 1 ? 'this file' : 'these files'}`,
    'put it there, or correct its name: the release may call it otherwise',
  );
}
