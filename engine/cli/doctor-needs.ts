import type { Project } from '../language/project.js';
import { needsOf } from '../report/needs.js';
import { needsView } from '../report/needs-view.js';
import { EXIT } from './exit.js';
import { writeVersion } from './sinks.js';

/** `doctor --needs`: what to request weeks before. From the files alone. */
export function printNeeds(project: Project, json: boolean): number {
  const needs = needsOf(project);
  if (json) {
    writeVersion('runbook-needs');
    process.stdout.write(`${JSON.stringify(needs)}\n`);
  } else process.stdout.write(`${needsView(needs, project.playbook.name, project.inventory.hosts.length)}\n`);
  return EXIT.done;
}
