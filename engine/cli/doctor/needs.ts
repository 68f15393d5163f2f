import type { Project } from '../../language/project.js';
import { needsOf } from '../../report/checks/needs.js';
import { needsView } from '../../report/checks/needs-view.js';
import { EXIT } from '../options/exit.js';
import { writeJson, writeVersion } from '../terminal/sinks.js';

/** `doctor --needs`: what to request weeks before. From the files alone. */
export function printNeeds(project: Project, json: boolean): number {
  const needs = needsOf(project);
  if (json) {
    writeVersion('runbook-needs');
    writeJson(needs);
  } else process.stdout.write(`${needsView(needs, project.playbook.name, project.inventory.hosts.length)}\n`);
  return EXIT.done;
}
