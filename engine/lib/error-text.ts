import { jsonOrUndefined, pointer } from './json.js';

const LONGEST = 200;

/** What the body of an answer says went wrong, on one line: the texts of the usual error forms, the title of a web page, or its first line. */
export function errorText(body: string): string {
  const json = jsonOrUndefined(body);
  const said =
    json === undefined
      ? [isWebPage(body) ? (/<title>([^<]*)<\/title>/i.exec(body)?.[1] ?? '') : (body.trim().split('\n')[0] ?? '')]
      : ['/title', '/detail', '/message', '/error', '/error/reason'].map((at) => pointer(json, at));
  const text = said.flatMap((one) => (typeof one === 'string' && one !== '' ? [one] : [])).join(': ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

export const isWebPage = (body: string): boolean => /^\s*<(?:!doctype|html)/i.test(body);
