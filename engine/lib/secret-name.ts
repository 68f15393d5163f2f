/** Names whose values are secrets that no inventory knows: the cluster key, hook URLs, passwords and their hashes. */
export const secretName =
  /pass(?:word|wd|phrase)|secret|token|credential|api[_.-]?key|private[_.-]?key|hook[_.-]?url|webhook|(?:^|[._-])(?:key|pass|pwd|hash)$|[a-z]Key$/i;
