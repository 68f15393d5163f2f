/** The look of every HTML document: calm and dense; dark and light by the reader's setting; for print always light, and unfolded. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d5dae0; --panel: #f5f7f9; --link: #0b57b0;
  --good: #146c3a; --bad: #b3211f; --warn: #865000; --info: #0b57b0;
  --good-bg: #e3f4e9; --bad-bg: #fdeae9; --warn-bg: #fff3dc; --info-bg: #e6f0fb;
  --phase: #6b7a8c; --down: #c8322f; --turn: #d98a1f; --restart: #2f7fd0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e2e6ea; --soft: #a1abb6; --line: #343b44; --panel: #1d2228; --link: #7db7f5;
    --good: #7fd6a0; --bad: #ff9c97; --warn: #f0c070; --info: #8fc1f7;
    --good-bg: #16321f; --bad-bg: #431d1c; --warn-bg: #3a2c10; --info-bg: #172c44;
    --phase: #8c9bad; --down: #e5605c; --turn: #dca043; --restart: #5a9fe0;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; }
header, main { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.5rem; }
main { padding-bottom: 4rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, section:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .25rem .5rem; }
.kind { margin: 0; color: var(--soft); font-size: .8rem; text-transform: uppercase; letter-spacing: .08em; }
h1 { margin: .1rem 0 .2rem; font-size: 1.6rem; line-height: 1.25; font-weight: 650; overflow-wrap: anywhere; }
h1 .state { font-size: .9rem; vertical-align: .2em; margin-left: .4rem; }
h2 { margin: 2rem 0 .6rem; padding-top: .5rem; border-top: 1px solid var(--line); font-size: 1.15rem; font-weight: 650; }
h3 { margin: 1.4rem 0 .4rem; font-size: .95rem; font-weight: 600; overflow-wrap: anywhere; }
p { margin: .4rem 0; max-width: 60rem; overflow-wrap: anywhere; }
.lead { color: var(--soft); margin: 0 0 .8rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .15rem 1rem; margin: 0; padding: 0; list-style: none; font-size: .87rem; }
dl { margin: 0; display: grid; gap: .15rem; }
dl div { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: .75rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.told { margin: .3rem 0; padding-left: 1.2rem; max-width: 60rem; }
.told li { margin: .25rem 0; overflow-wrap: anywhere; }
section { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; }
th { text-align: left; font-weight: 600; color: var(--soft); white-space: nowrap; }
th, td { padding: .32rem .7rem .32rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td { min-width: 5rem; }
.data td { overflow-wrap: break-word; }
.changes { table-layout: fixed; min-width: 40rem; }
.changes th { font-weight: 400; font-size: .95em; }
.changes th:nth-child(1) { width: 52%; }
.changes th:nth-child(2) { width: 28%; }
.changes td:first-child { padding-left: 1.4rem; text-indent: -1.4rem; }
.changes td:first-child > * { text-indent: 0; }
.changes details { margin-left: 0; }
.sign { display: inline-block; width: 1.1rem; font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-weight: 700; }
.note { color: var(--soft); font-size: .95em; }
.name { white-space: nowrap; }
.form td { height: 2.4rem; }
.section { color: var(--soft); white-space: nowrap; }
.state { display: inline-block; padding: 0 .4em; border-radius: 3px; font-size: .85em; font-weight: 650; white-space: nowrap; background: var(--panel); }
.good { color: var(--good); } .state.good { background: var(--good-bg); }
.bad { color: var(--bad); } .state.bad { background: var(--bad-bg); }
.warn { color: var(--warn); } .state.warn { background: var(--warn-bg); }
.info { color: var(--info); } .state.info { background: var(--info-bg); }
.quiet { color: var(--soft); }
code, pre { font: .85em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
details { margin: .3rem 0; }
summary { cursor: pointer; color: var(--link); }
details.diff { margin: .15rem 0 .1rem; text-indent: 0; }
details.diff summary { font-size: .92em; }
pre { margin: .3rem 0; padding: .5rem .7rem; background: var(--panel); border-radius: 4px; white-space: pre-wrap; }
ins { color: var(--good); text-decoration: none; }
del { color: var(--bad); text-decoration: none; }
figure { margin: .5rem 0 .8rem; }
svg { display: block; width: 100%; min-width: 44rem; height: auto; font: 12px system-ui, "Segoe UI", Roboto, Arial, "DejaVu Sans", sans-serif; }
figcaption { color: var(--soft); font-size: .85rem; margin-top: .3rem; }
svg text { fill: var(--ink); }
svg .tick, svg .mark-text { fill: var(--soft); font-size: 11px; }
svg .tick { text-anchor: middle; }
.grid { stroke: var(--line); } .rule { stroke: var(--line); }
.mark { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 3; }
rect.phase { fill: var(--phase); } rect.down { fill: var(--down); } rect.in-turn { fill: var(--turn); } rect.restart { fill: var(--restart); }
rect.estimate { opacity: .5; }
.key { white-space: nowrap; margin-left: .8rem; }
.swatch { display: inline-block; width: .8rem; height: .6rem; margin-right: .3rem; }
.swatch.phase { background: var(--phase); } .swatch.down { background: var(--down); } .swatch.in-turn { background: var(--turn); } .swatch.restart { background: var(--restart); }
.swatch.mark { width: 0; height: .8rem; border-left: 2px dashed var(--bad); vertical-align: -.1rem; }
@media (max-width: 40rem) {
  dl div { grid-template-columns: 1fr; gap: 0; margin-bottom: .3rem; }
  .data { min-width: 38rem; }
}
@media print {
  :root {
    color-scheme: light;
    --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --panel: #f4f4f4; --link: #000000;
    --good: #146c3a; --bad: #b3211f; --warn: #865000; --info: #0b57b0;
    --good-bg: #e3f4e9; --bad-bg: #fdeae9; --warn-bg: #fff3dc; --info-bg: #e6f0fb;
    --phase: #6b7a8c; --down: #c8322f; --turn: #d98a1f; --restart: #2f7fd0;
  }
  @page { margin: 15mm; }
  body { font-size: 9pt; }
  header, main { max-width: none; padding-left: 0; padding-right: 0; }
  nav, .skip { display: none; }
  h2, h3, h3 + p { break-after: avoid; }
  tr, figure, .form, dl div { break-inside: avoid; }
  th, td { padding-top: .2rem; padding-bottom: .2rem; }
  .changes, .data, svg { min-width: 0; }
  section { overflow: visible; }
  .data td { overflow-wrap: anywhere; min-width: 0; }
  thead { display: table-header-group; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
