/** Each once, by their names: hosts answer in any order. */
export const inOrder = (hosts: readonly string[]): readonly string[] =>
  [...new Set(hosts)].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));

/** `a, b and 3 more`: names, each once, at most six of them. */
export function nameHosts(hosts: readonly string[]): string {
  const names = [...new Set(hosts)];
  return names.length <= 6 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;
}
