import { visible } from './visible.js';

/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

type Value = string | number | Html | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Any text, as HTML that shows it: also in an attribute's quotes. */
export const escapeHtml = (text: string): string => visible(text).replace(/[&<>"']/g, (c) => ESCAPES[c] ?? c);

/** HTML from a template: whatever is put into it is escaped, unless it was made by this function. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Value[]): Html => ({
  html: parts.map((part, i) => part + textOf(values[i])).join(''),
});

function textOf(value: Value | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map((one) => one.html).join('');
}

export const NOTHING: Html = { html: '' };
