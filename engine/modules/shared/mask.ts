import { secretName } from '../../lib/secret-name.js';
import { splice, type Splice } from './lines.js';

/** What such a name may hold without being secret: a switch, or where a file lies. */
const harmless =
  /^["']?(?:yes|no|true|false|null|none|~|\/[\w./@+-]*\.(?:pem|key|crt|cer|p12|pfx|jks|yml|yaml|json|list))?["']?$/i;

const isSecret = (name: string, value: string): boolean =>
  secretName.test(name) && !harmless.test(value.trim()) && !value.includes(mark);
const mark = '[hidden';

type Show = (value: string) => string;

const element = /<([\w.:-]+)(\s[^<>]*)?>([\s\S]*?)<\/\1\s*>/g;
const openElement = /(<([\w.:-]+)(?:\s[^<>]*)?>)([^<]+)/g;
const inner = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[^>]*>|[^<]+/g;
/** A name begins where no name goes on: a long word is looked at once, not from each of its letters. */
const assigns = /(["']?)(?<![\w.-])([\w.-]+)\1[ \t]*[:=][ \t]*/g;
const assigned = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"'|>&*][^\r\n]*/y;
const pem = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g;
const userInfo = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)([^\s/@<>"']+)(?=@)/gi;
const hook = /(\bhttps?:\/\/[^\s/<>"']*)(\/[^\s<>"']+)/gi;
const query = /([?&](?:token|key|secret|password|sig|code|access_token|api_key)=)([^&\s<>"']+)/gi;
const crypt = /\$(?:2[aby]?|[156y]|argon2\w+)\$[^\s"'<>:,]+/g;
const bearer = /(\b(?:Bearer|Basic)[ \t]+)([A-Za-z0-9+/._=-]{8,})/g;
/** Of a command line: `curl -u NAME:PASSWORD`, `--password VALUE`. */
const userOption = /((?:^|\s)(?:-u|--user|--proxy-user)[ =]'?[^\s:']+:)([^\s']+)/g;
const passwordOption = /((?:^|\s)--?(?:password|passwd|pass|token|api-key)[ =])('[^']*'|\S+)/gi;
const enrolment = /^(\d{3,}[ \t]+\S+[ \t]+\S+[ \t]+)([0-9a-f]{64})$/gm;

/** Hides each line of a value, so that a diff keeps its lines. */
const hideLines = (text: string, show: Show): string =>
  text.replace(/[^\s][^\r\n]*?(?=[ \t]*(?:\r?\n|$))/g, (line) => (line.includes(mark) ? line : show(line)));

function hide(text: string, show: Show): string {
  const second = (_: string, lead: string, value: string): string =>
    lead + (value.includes(mark) ? value : show(value));
  const byElement = hideBlocks(text, show)
    .replace(pem, (block) => hideLines(block, show))
    .replace(element, (all, name: string, _attributes: string | undefined, value: string) => {
      if (!isSecret(name, value)) return all;
      const shown = value.replace(inner, (part) => (/^<(?!!)/.test(part) ? part : hideLines(part, show)));
      const at = all.indexOf('>') + 1;
      return all.slice(0, at) + shown + all.slice(at + value.length);
    })
    .replace(openElement, (all, open: string, name: string, value: string) =>
      isSecret(name, value) ? open + hideLines(value, show) : all,
    );
  return hideAssigned(byElement, show)
    .replace(userInfo, second)
    .replace(hook, (all, lead: string, path: string) =>
      /hook/i.test(all) && !all.includes(mark) ? `${lead}/${show(path)}` : all,
    )
    .replace(query, second)
    .replace(userOption, second)
    .replace(passwordOption, second)
    .replace(bearer, second)
    .replace(enrolment, second)
    .replace(crypt, (value) => show(value));
}

/** `name: value` and `name=value`, several on a line too: a value may itself hold the next name. */
function hideAssigned(text: string, show: Show): string {
  const splices: Splice[] = [];
  for (const found of text.matchAll(assigns)) {
    const start = found.index + found[0].length;
    if (start <= (splices.at(-1)?.end ?? -1)) continue;
    assigned.lastIndex = start;
    const value = assigned.exec(text)?.[0];
    if (value !== undefined && isSecret(found[2] ?? '', value))
      splices.push({ start, end: start + value.length, text: show(value) });
  }
  return splice(text, splices);
}

/** A YAML block below a secret key: its scalar lines and list items. */
function hideBlocks(text: string, show: Show): string {
  let below: { indent: number; scalar: boolean } | undefined;
  return text.replace(/^.*$/gm, (line) => {
    const indent = line.search(/\S/);
    if (below !== undefined && indent !== -1 && indent < below.indent + (below.scalar ? 1 : 0)) below = undefined;
    if (below !== undefined && indent !== -1) {
      const item = /^(\s*(?:-\s+)?)(.*)$/.exec(line);
      if (below.scalar || (/^\s*-\s/.test(line) && !/^\s*-\s+[\w.-]+:\s/.test(line)))
        return (item?.[1] ?? '') + show(item?.[2] ?? '');
      below = undefined;
    }
    const opens = /^(\s*(?:-\s+)?)["']?([\w.-]+)["']?\s*:\s*([|>][-+\d]*)?\s*$/.exec(line);
    if (opens?.[2] !== undefined && secretName.test(opens[2]))
      below = { indent: opens[1]?.length ?? 0, scalar: opens[3] !== undefined };
    return line;
  });
}

/** A text without the secrets that it names itself: for what is shown once, as a command line. */
export const masked = (text: string): string => maskPair(text, text)[0];

/** Every value that `maskPair` would hide. */
function secretsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  hide(text, (value) => {
    found.add(value);
    return `${mark}]`;
  });
  return found;
}

/**
 * Two states of a text without the secrets they hold: a value is `[hidden]` where both have it, and says when it is only in one,
 * so that a diff of the two still shows that it changed. Lines stay lines.
 */
export function maskPair(before: string, after: string): readonly [string, string] {
  const [old, young] = [secretsIn(before), secretsIn(after)];
  const long = [...new Set([...old, ...young])].filter((v) => v.length >= 8).sort((a, b) => b.length - a.length);
  const masked = (text: string, others: ReadonlySet<string>, word: string): string => {
    const show: Show = (value) => (others.has(value) ? `${mark}]` : `${mark}: ${word}]`);
    return long.reduce((t, value) => t.replaceAll(value, () => show(value)), hide(text, show));
  };
  return [masked(before, young, 'old'), masked(after, old, 'new')];
}
