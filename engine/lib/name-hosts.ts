/** `a, b and 3 more`: names, at most six of them. */
export const nameHosts = (hosts: readonly string[]): string =>
  hosts.length <= 6 ? hosts.join(', ') : `${hosts.slice(0, 5).join(', ')} and ${hosts.length - 5} more`;
