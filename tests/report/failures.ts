import { stopService } from '../../engine/platforms/security-monitoring/simulator/platform.js';
import type { Fault, PlatformState } from '../../engine/platforms/security-monitoring/simulator/state.js';
import { edit, hostOf } from '../playbooks/diagnose-bench.js';
import type { Failure } from './failed-run.js';

const JVM = '/etc/platform-indexer/jvm.options';

const fault =
  (...faults: readonly Fault[]) =>
  (state: PlatformState): void =>
    void state.faults.push(...faults);

const program = (host: string, name: string, stdout: string, exit = 1): Fault => ({
  fault: 'program',
  host,
  program: name,
  exit,
  stdout,
});

/** Failures of upgrades as they happen (../shared/domain.md), by the name of the file with their screen. */
export const FAILURES: Readonly<Record<string, Failure>> = {
  'indexer-does-not-start': { before: fault({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' }) },
  'window-with-time-left': {
    before: fault({ fault: 'start-fails', host: 'server-2', unit: 'platform-manager' }),
    closes: '2026-11-22T00:00Z',
  },
  'window-too-short': {
    before: fault({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' }),
    closes: '2026-11-21T22:40Z',
  },
  'indexer-java-option': {
    at: ['indexer-2', 'Start the indexer', (s) => edit(s, 'indexer-2', JVM, (t) => `${t}-XX:+UseConcMarkSweepGC\n`)],
  },
  'indexer-data-owner': {
    at: [
      'indexer-2',
      'Start the indexer',
      (s) => {
        const entry = hostOf(s, 'indexer-2').files['/var/lib/platform-indexer'];
        if (entry !== undefined) entry.owner = 'root';
        s.faults.push({ fault: 'start-fails', host: 'indexer-2', unit: 'platform-indexer' });
      },
    ],
  },
  'indexer-own-cluster': {
    at: ['indexer-2', 'Start the indexer', fault({ fault: 'own-cluster', host: 'indexer-2' })],
  },
  'indexer-unreachable': {
    at: ['indexer-2', 'Start the indexer', fault({ fault: 'unreachable', host: 'indexer-2' })],
  },
  'second-indexer-away': {
    at: ['indexer-3', 'Start the indexer', (s) => stopService(s, hostOf(s, 'indexer-1'), 'platform-indexer')],
  },
  'indexer-package-half-configured': {
    before: fault({ fault: 'half-configured', host: 'indexer-2', package: 'platform-indexer' }),
  },
  'indexer-disk-full': {
    at: ['indexer-2', 'Upgrade the package', fault({ fault: 'disk-full', host: 'indexer-2' })],
  },
  'no-sudo-in-the-middle': {
    at: ['indexer-3', 'Stop the indexer', fault({ fault: 'no-sudo', host: 'indexer-3' })],
  },
  'security-configuration': {
    at: [
      'indexer-1',
      'Apply the security configuration',
      fault(
        program(
          'indexer-1',
          'indexer-security-init.sh',
          'ERR: Seems there is no OpenSearch running on 10.0.0.11:9200 - Will exit',
          255,
        ),
      ),
    ],
  },
  'flush-fails': { before: fault({ fault: 'flush-fails' }) },
  'snapshot-partial': { before: fault({ fault: 'snapshot-partial' }) },
  'snapshot-repository-denied': { before: fault({ fault: 'repository-denied' }) },
  'download-is-a-web-page': {
    before: fault({
      fault: 'download',
      path: '/4.x/filebeat/platform-filebeat-0.5.tar.gz',
      status: 200,
      body: '<html>proxy</html>',
    }),
  },
  'manager-does-not-start': { before: fault({ fault: 'start-fails', host: 'server-2', unit: 'platform-manager' }) },
  'manager-configuration': {
    at: [
      'server-2',
      'Upgrade the manager',
      fault(
        program(
          'server-2',
          'platform-analysisd',
          "ERROR: (1226): Error reading XML file 'etc/platform.conf': (line 31).",
        ),
      ),
    ],
  },
  'manager-dead-daemons': { before: fault({ fault: 'dead-daemons', host: 'server-2', unit: 'platform-manager' }) },
  'shipper-cannot-connect': {
    at: [
      'server-2',
      'Upgrade the shipper',
      (s) => edit(s, 'server-2', '/etc/filebeat/filebeat.yml', (t) => t.replaceAll(/10\.0\.0\.1\d/g, '10.9.9.9')),
    ],
  },
  'cluster-red-between-servers': {
    at: ['server-2', 'Remove the version record', (s) => stopService(s, hostOf(s, 'indexer-1'), 'platform-indexer')],
  },
  'dashboard-does-not-start': {
    before: fault({ fault: 'start-fails', host: 'dashboard-1', unit: 'platform-dashboard' }),
  },
  'dashboard-certificate': {
    at: [
      'dashboard-1',
      'Upgrade the package',
      (s) =>
        edit(s, 'dashboard-1', '/etc/platform-dashboard/dashboard.yml', (t) => t.replace('dashboard.pem', 'dash.pem')),
    ],
  },
  'agent-package': { before: fault({ fault: 'half-configured', host: 'linux-2', package: 'platform-agent' }) },
  'certificate-not-trusted': {
    at: ['indexer-3', 'Start the indexer', fault({ fault: 'untrusted', host: 'indexer-3' })],
  },
};
