import { describe, expect, test } from '@jest/globals';
import { scriptsOn } from '../../engine/facts/package-scripts.js';

const PATH = '/etc/platform-indexer/jvm.options';
const on = (...scripts: string[]): string => {
  const found = scriptsOn(scripts, PATH);
  return found.is === 'owner' ? `${found.owner}:${found.group ?? ''}` : found.is;
};

describe('what a maintainer script may do to a configuration file', () => {
  test.each([
    ['echo done', 'nothing'],
    [`# ${PATH} is left alone`, 'nothing'],
    ['mkdir -p /etc/platform-indexer/jvm.options.d', 'nothing'],
    ['chmod 750 /etc/platform-indexer', 'nothing'],
    [`[ -e ${PATH} ] && echo "see ${PATH}"`, 'nothing'],
    [`if [ "$1" = purge ]; then rm -rf /var/lib/x /etc/platform-indexer; fi`, 'nothing'],
    ['rm -f /usr/share/platform-indexer/lib/*', 'nothing'],
    ['systemctl daemon-reload >/dev/null 2>&1 || true', 'nothing'],
    [`grep -q x ${PATH} >/dev/null 2>&1`, 'nothing'],
    ['/usr/bin/systemctl daemon-reload', 'nothing'],
    ['[ -x /usr/share/platform-indexer/bin/merge.sh ]', 'nothing'],
  ])('%s: nothing', (script, is) => expect(on(script)).toBe(is));

  test.each([
    [
      'chown -R platform-indexer:platform-indexer /etc/platform-indexer \\\n  /var/lib/platform-indexer',
      'platform-indexer:platform-indexer',
    ],
    [
      'user=indexer\ncase "$1" in\n  configure)\n    chown -R $user:${user} /etc/$user /etc/platform-indexer\nesac',
      'indexer:indexer',
    ],
    ['chown -R indexer /etc/platform-indexer', 'indexer:'],
    ['chown -R a:a /etc/platform-indexer\nchown -R b:b /etc/platform-indexer', 'attributes'],
    ['chown -R "$1" /etc/platform-indexer', 'attributes'],
    [`chmod 0640 ${PATH}`, 'attributes'],
    ['chmod -R o-rwx /etc/platform-indexer', 'attributes'],
    ['chown root /etc/platform-indexer/*.options', 'root:'],
  ])('%s: owner or mode', (script, is) => expect(on(script)).toBe(is));

  test.each([
    `echo -Xss2m >>${PATH}`,
    `sed -i s/1g/4g/ "${PATH}"`,
    'home=/etc/platform-indexer; conf=$home/jvm.options\ncp /usr/share/new $conf',
    'for f in /etc/platform-indexer/*; do sed -i s/a/b/ "$f"; done',
    'sed -i s/a/b/ "$dir"/*.options',
    'cp -r /usr/share/platform-indexer/config/. /etc/platform-indexer',
    `mv ${PATH}.rpmnew ${PATH}`,
    'ucf /usr/share/jvm /etc/platform-indexer/jvm.options',
    `chown root ${PATH} && cat new > ${PATH}`,
    'find /etc/platform-indexer -type f -exec sed -i s/a/b/ {} +',
    'rm -f /etc/platform-indexer/jvm.options',
    'merge=/usr/share/platform-indexer/bin/merge.sh\nif [ -x "$merge" ]; then "$merge"; fi',
  ])('%s: its content', (script) => expect(on('chown -R a:a /etc/platform-indexer', script)).toBe('content'));
});
