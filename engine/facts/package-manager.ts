import { answer } from './answer.js';
import type { HostFact } from './kind.js';
import { noManager, noRpmManager } from './package.js';
import { isRpmHost, rpmManager, type PackageManager } from './package-family.js';

/** By which program the host's packages are managed. */
export const packageManager: HostFact<null, PackageManager> = {
  name: 'package-manager',
  key: () => '',
  sh: () => `if ${isRpmHost}; then
  ${rpmManager}
  echo "$p"
  exit 0
fi
command -v dpkg-query >/dev/null || exit 9
echo apt`,
  parse: ({ exit, stdout }) => {
    if (exit === 9) return noManager;
    if (exit === 8) return noRpmManager;
    return answer<PackageManager>(stdout.trim() as PackageManager);
  },
};
