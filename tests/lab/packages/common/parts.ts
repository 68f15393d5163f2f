import { bundle } from '../../build/bundle.js';
import type { DebFile, DebSpec } from '../../build/build-deb.js';
import { template } from '../../build/templates.js';

/** The scripts that stop a service for an upgrade and start it again only if it ran; `postinst` is put before the latter. */
export async function serviceScripts(name: string, stateDir: string, postinst: string): Promise<DebSpec['scripts']> {
  const values = { NAME: name, STATE_DIR: stateDir };
  const restart = await template('common/restart-if-it-ran.sh', values);
  return { prerm: await template('common/prerm', values), postinst: `${postinst}${restart}` };
}

/** A program of ours as a package carries it: what starts it in `bin`, the bundle in `lib`. */
export async function program(name: string, source: string): Promise<DebFile[]> {
  return [
    { path: `/var/platform/bin/${name}`, mode: 0o750, text: await template('common/daemon.sh', { NAME: name }) },
    { path: `/var/platform/lib/${name}.mjs`, mode: 0o640, text: await bundle(source) },
  ];
}

/** The control tool and the forking service of a manager or an agent. */
export async function controlled(service: {
  name: string;
  type: 'server' | 'agent';
  release: string;
  daemons: readonly string[];
  optional: readonly string[];
}): Promise<DebFile[]> {
  const { name, type, release, daemons, optional } = service;
  const values = { VERSION: release, TYPE: type, DAEMONS: daemons.join(' '), OPTIONAL: optional.join(' ') };
  return [
    { path: '/var/platform/bin/platform-control', mode: 0o750, text: await template('common/control.sh', values) },
    {
      path: `/usr/lib/systemd/system/${name}.service`,
      mode: 0o644,
      text: await template('common/forking.service', values),
    },
    {
      path: '/var/platform/VERSION.json',
      mode: 0o644,
      text: `${JSON.stringify({ version: release, stage: 'rc1' })}\n`,
    },
  ];
}
