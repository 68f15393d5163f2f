import { answer } from './answer.js';
import type { HostFact } from './kind.js';
import { noRpmManager } from './package.js';
import { isRpmHost, rpmManager } from './package-family.js';

/** Can packages be kept back on this host? Always by dpkg; dnf 4 and yum need a plug-in for it. */
export const packageLock: HostFact<void, boolean> = {
  name: 'package-lock',
  key: () => '',
  sh: () => `if ${isRpmHost}; then
  ${rpmManager}
  $p versionlock --help >/dev/null || exit 1
fi`,
  parse: ({ exit }) => (exit === 8 ? noRpmManager : answer<boolean>(exit === 0)),
};
