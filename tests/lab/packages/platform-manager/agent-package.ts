import { existsSync } from 'node:fs';
import { at } from '../common/home.js';

/** The file that an agent of that kind of packages (`deb`, `rpm`) installs to come to `version`, below the installation directory. */
export const packageOf = (version: string, kind: string): string => `var/upgrade/platform-agent-${version}.${kind}`;

/** Whether agents can be brought to `version` from here. */
export const hasPackage = (version: string): boolean =>
  ['deb', 'rpm'].some((kind) => existsSync(at(packageOf(version, kind))));
