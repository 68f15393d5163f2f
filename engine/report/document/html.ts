import type { Block, Page } from './blocks.js';
import { blockHtml, partHtml, textHtml } from './html-blocks.js';
import { STYLE } from './html-style.js';
import { markup, type Html } from './html-text.js';
import { visibleLine } from './visible.js';

/** No part of the page may load or run anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** A document as one HTML file: without a link to the outside, without a script. */
export function htmlPage({ title, kind, state, lead, blocks }: Page): string {
  const sections = inSections(blocks);
  const links = sections.map(({ id, text }) => markup`<li><a href="#${id}">${text}</a></li>\n`);
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${visibleLine(`${kind}: ${title}`)}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<p class="kind">${kind}</p>
<h1>${visibleLine(title)} ${partHtml(state)}</h1>
<p class="lead">${textHtml(lead)}</p>
<nav aria-label="Contents">
<ul>
${links}</ul>
</nav>
</header>
<main id="content">
${sections.map(sectionHtml)}</main>
</body>
</html>
`.html;
}

type Heading = Extract<Block, { is: 'heading' }>;
type Section = Heading & { readonly blocks: readonly Block[] };

/** A table that is wider than the screen scrolls within its section, also with the keyboard. */
const sectionHtml = ({ id, text, blocks }: Section): Html => markup`<section aria-labelledby="${id}" tabindex="0">
<h2 id="${id}">${text}</h2>
${blocks.map(blockHtml)}</section>
`;

/** Each heading of the second level with what follows it. */
function inSections(blocks: readonly Block[]): readonly Section[] {
  const sections: (Heading & { blocks: Block[] })[] = [];
  for (const block of blocks)
    if (block.is === 'heading' && block.level === 2) sections.push({ ...block, blocks: [] });
    else sections.at(-1)?.blocks.push(block);
  return sections;
}
