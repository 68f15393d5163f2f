import { putFile } from '../../../engine/simulator/files.js';
import { startService, stopService } from '../../../engine/platforms/security-monitoring/simulator/platform.js';
import type { PlatformState } from '../../../engine/platforms/security-monitoring/simulator/state.js';
import {
  actsLike,
  deepEqual,
  done,
  doesNotMatch,
  down,
  equal,
  hostOf,
  hostsOf,
  match,
  modeOf,
  ok,
  refused,
  textOf,
  unitOf,
} from '../look.js';
import { after, edit, remove, twice } from '../ours.js';
import { scenario, type Scenario } from '../scenario.js';
import type { Platform, Stage } from '../stage.js';
import { killedAtEach, stoppedAt } from './killed.js';
import { CONFIG, PLAYBOOK, ready, RECORD, serversFrom, serversUpgraded, TEMPLATE } from './server.js';

const BACKUPS = '/var/backups/runbook/before-4.14';
const MANAGER = 'platform-manager';
const complete = (stage: Stage): Promise<Platform> => after('server', stage);
const old = (state: PlatformState, host: string): void => {
  edit(state, host, CONFIG, (text) => text.replace(/ *<list>etc\/lists\/malicious-ioc-md5<\/list>\n/, ''));
};
const NOVEL = '<platform_config>\n  <novel>\n    <setting>1</setting>\n  </novel>\n</platform_config>\n';
const DETECTOR = '  <vulnerability-detector>\n    <enabled>no</enabled>\n  </vulnerability-detector>\n';
const detected = (state: PlatformState, host: string): void => {
  edit(state, host, CONFIG, (text) => text.replace('  <ruleset>\n', `${DETECTOR}\n  <ruleset>\n`));
};
const startedAfter = (state: PlatformState, host: string, unit: string, path: string): void => {
  ok(
    (unitOf(state, host, unit).startedAtMs ?? 0) >= (hostOf(state, host).files[path]?.changedAtMs ?? 0),
    `${unit} on ${host} runs without ${path}`,
  );
};

export const serverAgain: readonly Scenario[] = [
  scenario('servers: a controller that is killed at a command of theirs resumes with that command', async (stage) => {
    const p = await serversFrom(stage, '4.7.5');
    await killedAtEach(p, PLAYBOOK, [
      /-k username/,
      /-k password/,
      /setup --pipelines/,
      /setup --index-management/,
      /test output/,
    ]);
    serversUpgraded(p.state);
  }),
  scenario('servers: a command of the shipper’s that fails once is tried again', async (stage) => {
    const p = await ready(stage);
    const left = [/setup --pipelines/, /setup --index-management/, /test output/];
    const ran = await p.run(PLAYBOOK, {
      before: (act, state) => {
        if (!act.startsWith('server-2: ') || left[0]?.test(act) !== true) return;
        left.shift();
        state.faults.push({ fault: 'program', host: 'server-2', program: 'filebeat', exit: 1, stdout: 'no', times: 1 });
      },
    });
    done(ran);
    deepEqual(left, []);
    serversUpgraded(p.state);
  }),
  scenario(
    'servers: what is lost of the shipper’s extracted module is extracted before the manager stops',
    async (stage) => {
      const p = await ready(stage);
      const stops: string[] = [];
      const ran = await p.run(PLAYBOOK, {
        before: (act, state) => {
          const host = act.slice(0, 8);
          if (/: systemctl stop platform-manager/.test(act) && stops.push(host) === 1)
            remove(state, host === 'server-1' ? 'server-2' : 'server-1', /unpacked\/.*-0\.5\..*pipeline\.json$/);
          if (act.includes(': extract')) equal(unitOf(state, host, MANAGER).active, 'active');
        },
      });
      done(ran);
      deepEqual(
        actsLike(ran, /: extract/).map((act) => act.slice(0, 8)),
        stops.slice(1),
      );
      serversUpgraded(p.state);
    },
  ),
  scenario('servers: what an upgrade notes, warns of and waits for', async (stage) => {
    const p = await serversFrom(stage, '4.9.2');
    const config = '/etc/filebeat/filebeat.yml';
    putFile(hostOf(p.state, 'server-2'), `${config}.dpkg-dist`, { text: 'a.new.setting: 1\n' }, 1);
    edit(p.state, 'server-2', CONFIG, (text) =>
      text.replace('  <ruleset>\n', '  <ruleset>\n    <list>etc/lists/of-ours</list>\n'),
    );
    putFile(hostOf(p.state, 'server-2'), '/var/platform/etc/lists/of-ours', { text: '' }, 1);
    detected(p.state, 'server-1');
    let [begun, done1] = [0, 0];
    const ran = await p.run(PLAYBOOK, {
      before: (act, state) => {
        const host = act.slice(0, 8);
        if (/server-\d: (?!.*download).*install .*platform-manager/.test(act))
          deepEqual(
            [modeOf(state, host, BACKUPS), modeOf(state, host, RECORD), textOf(state, host, RECORD)],
            ['0700', '0600', '4.9.2-1 4.9.2-1 4.14.7-1\n'],
          );
        // Another process starts it while its package is replaced.
        if (/server-2: (?!.*download).*install .*platform-manager/.test(act))
          startService(state, hostOf(state, host), MANAGER);
        if (/server-1: systemctl (re)?start platform-manager/.test(act)) begun = state.nowMs;
        if (/server-1: extract/.test(act)) done1 = unitOf(state, host, MANAGER).readyAtMs - state.nowMs;
      },
      on: ({ event }, state) => {
        if (event.e === 'effect' && event.task.step.endsWith('/Upgrade the manager'))
          putFile(hostOf(state, 'server-2'), `${CONFIG}.dpkg-dist`, { text: NOVEL }, state.nowMs);
        const unit = hostOf(state, 'server-1').services[MANAGER];
        if (begun > 0 && unit?.active === 'active' && unit.readyAtMs < begun + 90_000) unit.readyAtMs = begun + 90_000;
      },
    });
    done(ran);
    serversUpgraded(p.state);
    ok(begun > 0 && done1 <= 0, 'the management API does not answer yet');
    match(ran.warned, /platform\.conf was kept[\s\S]*novel/);
    match(ran.warned, /filebeat\.yml was kept[\s\S]*a\.new\.setting: 1/);
    match(textOf(p.state, 'server-2', CONFIG) ?? '', /<list>etc\/lists\/of-ours<\/list>/);
    // From 4.8 on it is the operator's.
    match(textOf(p.state, 'server-1', CONFIG) ?? '', /<vulnerability-detector>/);
    deepEqual(actsLike(ran, /keystore/), []);
  }),
  scenario('servers: a plan knows of each server whether its connector is written', async (stage) => {
    for (const from of ['4.7.5', '4.9.2']) {
      const plan = await (await serversFrom(stage, from)).plan(PLAYBOOK);
      equal(plan.why, '');
      deepEqual(
        plan.events.flatMap((e) =>
          e.e === 'undecided' && from !== '4.7.5' && /^Set the indexer connector/.test(e.name)
            ? [`${e.name}: ${e.because}`]
            : [],
        ),
        [],
      );
    }
  }),
  scenario(
    'servers: one that was upgraded by hand reports which lists it lacks, and gets what shows that it is due',
    async (stage) => {
      const p = await serversFrom(stage, '4.9.2', { 'server-2': '4.14.7', 'server-1': '4.14.7' });
      for (const host of ['server-1', 'server-2']) old(p.state, host);
      detected(p.state, 'server-2');
      edit(p.state, 'server-1', CONFIG, (text) => text.replace(/\n {2}<indexer>[\s\S]*?<\/indexer>\n/, ''));
      const own = textOf(p.state, 'server-1', CONFIG);
      const ran = await p.run(PLAYBOOK);
      done(ran);
      match(ran.warned, /server-2: the manager was already at 4\.14\.7, and its ruleset lacks a list/);
      equal(textOf(p.state, 'server-1', CONFIG), own);
      const config = textOf(p.state, 'server-2', CONFIG) ?? '';
      doesNotMatch(config, /vulnerability-detector|malicious-ioc-md5/);
      match(config, /<host>https:\/\/10\.0\.0\.13:9200<\/host>/);
      equal(textOf(p.state, 'server-2', '/var/platform/queue/keystore/indexer/username'), 'admin');
      deepEqual(actsLike(ran, /server-1: .*keystore/), []);
      startedAfter(p.state, 'server-2', MANAGER, CONFIG);
    },
  ),
  scenario('servers: an upgrade that lacks its end on one of them is completed there', async (stage) => {
    const p = await complete(stage);
    putFile(hostOf(p.state, 'server-2'), RECORD, { text: '4.12.0-1 4.14.7-1\n', mode: '0600' }, 1);
    old(p.state, 'server-2');
    done(await p.run(PLAYBOOK));
    serversUpgraded(p.state);
    startedAfter(p.state, 'server-2', MANAGER, CONFIG);
  }),
  scenario(
    'servers: a shipper of an earlier revision, or with another template, is brought to what is wanted',
    async (stage) => {
      const p = await complete(stage);
      const altered = p.clone();
      Object.assign(hostOf(p.state, 'server-2').packages['filebeat'] ?? {}, { version: '7.10.2-1' });
      done(await p.run(PLAYBOOK));
      serversUpgraded(p.state);
      edit(altered.state, 'server-2', TEMPLATE, (text) => text.replace('"mappings"', '"mappings_of_ours"'));
      done(await altered.run(PLAYBOOK));
      serversUpgraded(altered.state);
      startedAfter(altered.state, 'server-2', 'filebeat', TEMPLATE);
    },
  ),
  scenario('servers: a shipper of a later revision is not taken back unasked', async (stage) => {
    const p = await ready(stage);
    Object.assign(hostOf(p.state, 'server-2').packages['filebeat'] ?? {}, { version: '7.10.2-3' });
    refused(await p.plan(PLAYBOOK), /7\.10\.2-3 is installed, newer/);
  }),
  scenario('servers: what cannot be merged is refused before the first server is stopped', async (stage) => {
    const p = await ready(stage);
    twice('ruleset')(p.state);
    refused(await p.run(PLAYBOOK), /<ruleset> stands 2 times/);
    // Upgraded by hand, and not started since.
    const q = await complete(stage);
    detected(q.state, 'server-2');
    twice('vulnerability-detection')(q.state);
    Object.assign(hostOf(q.state, 'server-2').packages[MANAGER] ?? {}, { changedAtMs: q.state.nowMs });
    refused(await q.run(PLAYBOOK, { name: 'next' }), /<vulnerability-detection> stands 2 times/);
    // One that is upgraded, and runs, is left to its operator.
    const r = await complete(stage);
    detected(r.state, 'server-2');
    twice('vulnerability-detection')(r.state);
    deepEqual((await r.run(PLAYBOOK, { name: 'next' })).why, '');
  }),
  scenario('servers: one that is upgraded does not keep the others from being checked', async (stage) => {
    const p = await complete(stage);
    Object.assign(hostOf(p.state, 'server-1').packages['filebeat'] ?? {}, { version: '7.10.1-1' });
    refused(await p.run(PLAYBOOK, { name: 'next' }), /depend on shipper 7\.10\.2/);
  }),
  scenario('servers: a manager that was started while its package was installed is restarted', async (stage) => {
    const p = await serversFrom(stage, '4.13.1');
    const ran = await p.run(PLAYBOOK, {
      on: ({ event }, state) => {
        const { packages, services } = hostOf(state, 'server-2');
        const [entry, unit] = [packages[MANAGER], services[MANAGER]];
        if (event.e !== 'effect' || !event.task.step.endsWith('/Upgrade the manager')) return;
        if (entry?.version === '4.14.7-1' && unit?.active === 'inactive')
          Object.assign(unit, { active: 'active', processes: 14, startedAtMs: entry.changedAtMs - 1000 });
      },
    });
    done(ran);
    serversUpgraded(p.state);
  }),
  scenario('servers: a target that was changed back while one was upgraded beyond it is refused', async (stage) => {
    const p = await serversFrom(stage, '4.14.7', { 'server-2': '4.14.8' });
    for (const host of hostsOf(p.state, 'server')) host.packageIndex[MANAGER] = ['4.14.7-1'];
    putFile(hostOf(p.state, 'server-2'), RECORD, { text: '4.14.7-1 4.14.7-1 4.14.8-1\n' }, 1);
    refused(await p.plan(PLAYBOOK), /newer than 4\.14\.7/);
  }),
  scenario('servers: a manager that was stopped for an upgrade runs again when the run stops', async (stage) => {
    const p = await ready(stage);
    await stoppedAt(p, PLAYBOOK, /server-2: systemctl stop platform-manager/);
    deepEqual(down(p.state), []);
    stopService(p.state, hostOf(p.state, 'server-2'), MANAGER);
    done(await p.run(PLAYBOOK, { name: 'next' }));
    serversUpgraded(p.state);
  }),
];
