import { shellWords } from './words.js';

/** The jump hosts that arguments of ssh name; undefined: none. `mistake`: what is not supported. */
export type JumpFrom = readonly string[] | undefined | { readonly mistake: string };

/** Reads `-J a,b`, `-o ProxyJump=a`, and the usual `-o ProxyCommand="ssh -W %h:%p … bastion"`, which is the same. */
export function jumpFrom(args: string): JumpFrom {
  const words = shellWords(args);
  if (words === undefined) return { mistake: 'a quotation is not closed' };
  for (const [i, word] of words.entries()) {
    if (word === '-J' || word.startsWith('-J')) return hops(word === '-J' ? words[i + 1] : word.slice(2));
    const option = word === '-o' ? words[i + 1] : word.startsWith('-o') ? word.slice(2) : undefined;
    const [, key = '', value = ''] = /^\s*(\w+)\s*[=\s]\s*(.*)$/s.exec(option ?? '') ?? [];
    if (key.toLowerCase() === 'proxyjump') return hops(value);
    if (key.toLowerCase() === 'proxycommand') return hopOfCommand(value);
  }
  return undefined;
}

/** The options of ssh among these arguments that name no jump host, as they are called: `-i`, `-o IdentityFile`. Values may be secret. */
export function otherOptions(args: string): readonly string[] {
  const words = shellWords(args) ?? [];
  return words.flatMap((word, i) => {
    const before = words[i - 1];
    if (before === '-o') return optionName(word);
    if (/^-o./.test(word)) return optionName(word.slice(2));
    return /^-[A-IK-Za-np-z]/.test(word) ? [word.slice(0, 2)] : [];
  });
}

const optionName = (option: string): readonly string[] => {
  const [name = ''] = /^\s*\w+/.exec(option) ?? [];
  return /^proxy(?:jump|command)$/i.test(name.trim()) ? [] : [`-o ${name.trim()}`];
};

const hops = (text = ''): JumpFrom =>
  text.toLowerCase() === 'none' || text === ''
    ? undefined
    : text.split(',').map((hop) => hop.trim().replace(/^ssh:\/\//, ''));

/** `ssh -W %h:%p -q -p 2222 user@bastion`: any other command cannot be translated. */
function hopOfCommand(command: string): JumpFrom {
  const cannot = { mistake: `ProxyCommand "${command}" is not supported` };
  const [program = '', ...args] = shellWords(command.replace(/^\s*exec\s+/, '')) ?? [];
  if (!/(?:^|\/)ssh$/.test(program)) return program === 'none' ? undefined : cannot;
  const found: { host?: string; user?: string; port?: string; forwards?: true } = {};
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    const [, flag = '', joined = ''] = /^-([WpliFo])(.*)$/s.exec(arg) ?? [];
    if (flag !== '') {
      const value = joined === '' ? (args[(i += 1)] ?? '') : joined;
      if (flag === 'W') found.forwards = true;
      if (flag === 'p') found.port = value;
      if (flag === 'l') found.user = value;
    } else if (!/^-[A-Za-z0-9]+$/.test(arg)) {
      if (found.host !== undefined) return cannot;
      found.host = arg;
    }
  }
  if (found.host === undefined || found.forwards === undefined) return cannot;
  return [
    `${found.user === undefined ? '' : `${found.user}@`}${found.host}${found.port === undefined ? '' : `:${found.port}`}`,
  ];
}
