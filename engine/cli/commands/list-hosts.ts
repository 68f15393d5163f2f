import { select } from '../../language/playbook/selector.js';
import type { Choice } from '../run/choice.js';
import { writeVersion } from '../terminal/sinks.js';
import { jsonText } from '../../report/json-text.js';

/** `--list-hosts`: the hosts of each play, from the inventory alone; whoever a fact puts last is not known here. */
export function listHosts({ project, limit }: Choice, json: boolean): number {
  if (json) writeVersion('runbook-hosts');
  for (const play of project.playbook.plays) {
    const hosts =
      play.hosts === 'controller'
        ? ['controller']
        : select(play, project.inventory.hosts, {
            roles: project.platform.roles,
            ...(limit === undefined ? {} : { limit }),
          });
    const name = [...play.within, play.name].join(' / ');
    const last = play.last === undefined ? '' : '   (the last hosts are known when the play starts)';
    process.stdout.write(
      json ? `${jsonText({ play: name, hosts })}\n` : `${name}${last}\n${hosts.map((h) => `  ${h}\n`).join('')}`,
    );
  }
  return 0;
}
