import type { Json, JsonObject } from '../../terms/json.js';
import { emptyInventory } from '../inventory/load.js';
import { definitionOf, type Definition, type Here, type WholeProject } from '../definitions.js';
import type { Mistakes } from '../mistakes.js';
import { namesIn } from '../templates/names.js';
import { objectOf } from '../values.js';

/** Tells variables, parameters and names that are defined by themselves, also by a detour through others; each circle once. */
export function checkCircles(project: WholeProject, mistakes: Mistakes): void {
  const reported = new Set<string>();
  for (const { here, names } of settings(project)) {
    const settled = new Set<string>();
    for (const name of names) follow({ project, here, settled, reported, mistakes }, name, []);
  }
}

/** Places where definitions meet, each with the names that are defined anew there. What only a host and a play together make is left to the run. */
function* settings({
  playbook,
  platform,
  loaded,
  extraVars,
}: WholeProject): Generator<{ readonly here: Here; readonly names: readonly string[] }> {
  const named = (scope: string, values: JsonObject): readonly string[] =>
    Object.entries(values).flatMap(([name, value]) => (namesIn(value).length > 0 ? [`${scope}.${name}`] : []));
  const { inventory, hosts } = loaded ?? { inventory: emptyInventory, hosts: [] };
  const groups = [...Object.entries(platform.names), ...Object.entries(inventory.names)];
  yield {
    here: {},
    names: [
      ...groups.flatMap(([group, names]) => named(group, objectOf(names))),
      ...named('platform', inventory.platform),
      ...[platform.vars, inventory.vars, extraVars].flatMap((vars) => named('vars', vars)),
    ],
  };
  for (const host of hosts) {
    const own = named('vars', host.host.vars);
    if (own.length > 0) yield { here: { host }, names: own };
  }
  for (const play of playbook.plays) {
    yield { here: { play }, names: named('vars', play.play.vars) };
    for (const step of play.steps) {
      const own = named('vars', step.step.vars);
      if (own.length > 0) yield { here: { play, step }, names: own };
    }
  }
}

interface Walk {
  readonly project: WholeProject;
  readonly here: Here;
  /** Names below which there is no circle, or one that was reported. */
  readonly settled: Set<string>;
  readonly reported: Set<string>;
  readonly mistakes: Mistakes;
}

function follow(walk: Walk, name: string, chain: readonly string[]): void {
  const definition = walk.settled.has(name) ? undefined : definitionOf(walk.project, walk.here, name);
  if (definition === undefined) return;
  if (chain.includes(name)) {
    tell(walk, chain.slice(chain.indexOf(name)), definition);
    return;
  }
  for (const next of mentioned(definition.value)) follow(walk, next, [...chain, name]);
  walk.settled.add(name);
}

const mentioned = (value: Json): readonly string[] => [
  ...new Set(namesIn(value).map((name) => name.split('.').slice(0, 2).join('.'))),
];

function tell({ reported, mistakes }: Walk, circle: readonly string[], { spot }: Definition): void {
  const key = circle.toSorted().join(' ');
  if (reported.has(key)) return;
  reported.add(key);
  const noun = circle[0]?.startsWith('vars.') === true ? 'variable' : 'name';
  const message = `this ${noun} is defined by itself: ${[...circle, circle[0] ?? ''].join(' → ')}`;
  if (spot === undefined) mistakes.add([{ file: '-e', line: 1, column: 1, length: 1, message }]);
  else
    mistakes.at(spot, message, {
      hint:
        circle.length > 1 ? 'give one of them a value of its own' : 'write out the value that it is to be made from',
    });
}
