import type { Block, Part, Text } from './blocks.js';

/** More hosts than these are listed once, at the end. */
const NAMED = 6;

/** Names sets of hosts, so that a document of 8,000 hosts names each of them once. */
export class HostSets {
  readonly #sets = new Map<string, { readonly name: string; readonly hosts: readonly string[] }>();

  /** `a, b`, or `990 hosts (A)` with a link to where they are listed. */
  text(hosts: readonly string[]): Text {
    if (hosts.length <= NAMED) return hosts.flatMap((name, i): Text => (i === 0 ? [{ name }] : [', ', { name }]));
    const key = hosts.toSorted().join('\n');
    const set = this.#sets.get(key) ?? { name: nameOf(this.#sets.size), hosts };
    this.#sets.set(key, set);
    return [`${hosts.length} hosts `, { link: set.name, to: `hosts-${set.name}` } satisfies Part];
  }

  /** Where they are listed. */
  blocks(): readonly Block[] {
    return [...this.#sets.values()].flatMap(({ name, hosts }): readonly Block[] => [
      { is: 'heading', level: 3, id: `hosts-${name}`, text: `Hosts ${name}` },
      { is: 'paragraph', text: [hosts.join(', ')] },
    ]);
  }
}

/** A to Z, then AA. */
const nameOf = (i: number): string =>
  (i < 26 ? '' : nameOf(Math.floor(i / 26) - 1)) + String.fromCharCode(65 + (i % 26));
