/** The end of a path by which it differs from another one, with a folder at least: `staging/inventory.yaml`. */
export function distinctPath(path: string, other: string): string {
  const [parts, others] = [path.split('/'), other.split('/')];
  let n = 1;
  while (n < parts.length && parts.at(-n) === others.at(-n)) n += 1;
  return parts.slice(-Math.max(n, 2)).join('/');
}
