/** An element of a configuration that is nearly XML: several roots, `--` inside comments, bare `&`. */
export interface Element {
  name: string;
  text: string;
  children: Element[];
}

export interface LooseDocument {
  roots: Element[];
  /** What does not close, or closes nothing; each with its line, counted from 1. */
  problems: { line: number; message: string }[];
}

const token = /<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.-]*)([^<>]*)>/g;

/** Reads the manager's and the agent's configuration as leniently as the real daemons do. Never throws. */
export function readLoose(source: string): LooseDocument {
  const top: Element = { name: '', text: '', children: [] };
  const open: Element[] = [top];
  const problems: LooseDocument['problems'] = [];
  let from = 0;
  for (const match of source.matchAll(token)) {
    const here = open[open.length - 1] ?? top;
    here.text += source.slice(from, match.index);
    from = match.index + match[0].length;
    const [, closing, name, rest] = match;
    if (name === undefined) continue;
    if (closing === '/') {
      if (here === top || here.name !== name)
        problems.push({ line: lineOf(source, match.index), message: `</${name}> closes no <${name}>` });
      else open.pop();
      continue;
    }
    const element: Element = { name, text: '', children: [] };
    here.children.push(element);
    if (!(rest ?? '').endsWith('/')) open.push(element);
  }
  for (const left of open.slice(1))
    problems.push({ line: lineOf(source, source.length), message: `<${left.name}> is not closed` });
  return { roots: top.children, problems };
}

/** Every element at `path` under any of `roots`, in the order of the file: the last one is what the daemons take. */
export function elementsAt(roots: readonly Element[], path: string): Element[] {
  return path
    .split('/')
    .reduce<Element[]>(
      (at, name) => at.flatMap((element) => element.children.filter((child) => child.name === name)),
      [{ name: '', text: '', children: [...roots.flatMap((root) => root.children)] }],
    );
}

/** The trimmed text of the last element at `path`, or undefined. */
export function lastText(roots: readonly Element[], path: string): string | undefined {
  return elementsAt(roots, path).at(-1)?.text.trim();
}

function lineOf(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}
