import { jsonText } from '../json-text.js';
import type { Format } from './format.js';
import { htmlPage } from './html.js';
import { markdownPage } from './markdown.js';
import type { Document } from './document.js';
import { pageOf } from './words.js';

/** A document as text. */
export function render(document: Document, format: Format): string {
  if (format === 'json') return `${jsonText(document, 2)}\n`;
  const page = pageOf(document);
  return format === 'md' ? markdownPage(page) : htmlPage(page);
}
