import type { Project } from '../language/project.js';
import { select } from '../language/selector.js';

/** `--list-hosts`: the hosts of each play, from the inventory alone; whoever a fact puts last is not known here. */
export function listHosts(project: Project, limit: ReadonlySet<string> | undefined): number {
  for (const play of project.playbook.plays) {
    const hosts = play.hosts === 'controller' ? ['the controller'] : select(play.hosts, project.inventory.hosts, limit === undefined ? {} : { limit });
    process.stdout.write(`${[...play.within, play.name].join(' / ')}\n${hosts.map((h) => `  ${h}\n`).join('')}`);
  }
  return 0;
}
