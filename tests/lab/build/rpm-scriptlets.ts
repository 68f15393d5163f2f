import type { DebSpec } from './build-deb.js';

/**
 * The maintainer scripts of a .deb as scriptlets of an RPM, told what dpkg would tell them. RPM unpacks the new version before it takes the old
 * one's files away, so what stops a service runs in `%pre`, and what starts it again, when the old files are gone too, in `%posttrans`.
 */
export function scriptlets(name: string, scripts: DebSpec['scripts']): string {
  const { preinst, postinst, prerm } = scripts;
  const mark = `/run/${name}.rpm-upgrade`;
  const before = [
    `rm -f ${mark}\nif [ "$1" -gt 1 ]; then : >${mark}; fi`,
    ...(prerm === undefined ? [] : [`if [ -e ${mark} ]; then\n${told('upgrade', prerm)}fi`]),
    ...(preinst === undefined
      ? []
      : [`if [ -e ${mark} ]; then action=upgrade; else action=install; fi\n${told('"$action"', preinst)}`]),
  ];
  const after = [
    `if [ -e ${mark} ]; then set -- configure previous; else set -- configure; fi\nrm -f ${mark}`,
    ...(postinst === undefined ? [] : [told('"$@"', postinst)]),
  ];
  const atRemoval = prerm === undefined ? [] : [`%preun\nif [ "$1" = 0 ]; then\n${literal(told('remove', prerm))}fi`];
  if (Object.keys(scripts).length === 0) return '';
  return [`%pre\n${literal(before.join('\n'))}`, ...atRemoval, `%posttrans\n${literal(after.join('\n'))}`].join('\n');
}

/** A script as it would run by itself: what it ends with is what the scriptlet ends with, unless that is 0. */
const told = (args: string, script: string): string => `(\nset -- ${args}\n${script}\n)\nstatus=$?
[ $status = 0 ] || exit $status
`;

/** Macros are expanded in scriptlets too. */
const literal = (script: string): string => script.replaceAll('%', '%%');
