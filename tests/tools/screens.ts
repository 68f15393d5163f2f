/**
 * Part of `npm run pictures`: docs/screens.md and its pictures, from an upgrade on the embedded model in which one indexer does not start.
 * The frames of the live view are drawn from the journal of that run, at the times that it has.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlannedPhase } from '../../engine/report/live/phase-bars.js';
import { plannedOf } from '../../engine/cli/plan/plan-of-run.js';
import { projectOf } from '../../engine/cli/run/rollback-options.js';
import { inspectEvents, listRuns, openRunFolder, readCopy, runsOf } from '../../engine/journal/run-folder.js';
import { createProgress } from '../../engine/report/live/live.js';
import type { Event, Recorded } from '../../engine/terms/event.js';
import { Terminal } from '../report/terminal.js';
import { openBrowser } from '../system/support/browser.js';
import { openModelFolder } from './model-run.js';

const COLUMNS = 100;
const ROWS = 24;
const SIZE_LIMIT = 200_000;
const work = openModelFolder();
const { folder } = work;

interface Shown {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly terminal: Terminal;
}

/** What stands on the terminal some time after the first event that fits. */
interface Frame extends Omit<Shown, 'terminal'> {
  readonly fits: (event: Event) => boolean;
  readonly afterMs: number;
}

const waits = (host: string, play: string) => (e: Event) =>
  e.e === 'waiting' && e.task !== undefined && e.task.step.includes(play) && JSON.stringify(e.task.on).includes(host);

const FRAMES: readonly Frame[] = [
  {
    ...{ name: 'live-prepare', title: 'Live: preparation', afterMs: 4000 },
    about: 'Steps that stop nothing run on all hosts at once: a line for each host at work.',
    fits: (e) => e.e === 'intent' && e.name.startsWith('Download the current'),
  },
  {
    ...{ name: 'live-indexer', title: 'Live: one indexer at a time', afterMs: 3000 },
    about: 'What is waited for with its countdown, what is temporarily changed right now, and what comes next.',
    fits: waits('indexer-2', 'Upgrade each node'),
  },
];

const runOf = (runs: ReturnType<typeof runsOf>) => openRunFolder(runs, listRuns(runs)[0] ?? '');

/** `phases` of the plan with which the run began: those of its rest are kept in their place. */
async function live(run: ReturnType<typeof runOf>, phases: readonly PlannedPhase[]): Promise<readonly Shown[]> {
  const project = await projectOf(readCopy(run));
  const steps = new Map(project?.playbook.plays.map((play) => [play.path, play.steps.length]));
  const { events } = inspectEvents(run);
  return FRAMES.map(({ fits, afterMs, ...about }) => {
    const at = events.findIndex(({ event }) => fits(event));
    const untilMs = (events[at]?.atMs ?? Number.NaN) + afterMs;
    if (at < 0) throw new Error(`no event of the run fits the frame ${about.name}`);
    return {
      ...about,
      terminal: replayed(events, untilMs, (play) => steps.get(play) ?? 0, phases),
    };
  });
}

/** The live view as it was then. */
function replayed(
  events: readonly Recorded[],
  untilMs: number,
  stepsOf: (play: string) => number,
  phases: readonly PlannedPhase[],
): Terminal {
  const terminal = new Terminal(COLUMNS, ROWS);
  let nowMs = 0;
  let redraw = (): void => undefined;
  const every = (_ms: number, call: () => void) => ((redraw = call), () => undefined);
  const size = () => ({ columns: COLUMNS, rows: ROWS });
  const screen = { write: (text: string) => terminal.write(text), size, every };
  const options = { verbosity: 0, diff: false, lines: true, stepsOf, phases, nowMs: () => nowMs };
  const progress = createProgress(screen, { color: true, width: COLUMNS }, options);
  for (const recorded of events) {
    if (recorded.atMs > untilMs) break;
    nowMs = recorded.atMs;
    progress.on(recorded);
  }
  nowMs = untilMs;
  redraw();
  return terminal;
}

function printed(text: string): Terminal {
  const terminal = new Terminal(COLUMNS, ROWS);
  terminal.write(text.replaceAll('\r\n', '\n').trimEnd());
  return terminal;
}

const page = (html: string): string =>
  `<style>body{margin:0;background:#16181d;color:#d8dbe2;font:14px/1.35 "DejaVu Sans Mono",monospace}pre{margin:14px;font:inherit;width:max-content}
.s1{font-weight:bold}.s2{color:#8b919c}.s31{color:#ff7b72}.s32{color:#7ee787}.s33{color:#e3b341}.s36{color:#79c0ff}</style><pre>${html}</pre>`;

async function picture({ name, terminal }: Shown): Promise<void> {
  const browser = await openBrowser();
  const tab = await browser.newPage({ viewport: { width: 900, height: 400 } });
  await tab.setContent(page(terminal.html()));
  const path = join(process.cwd(), 'docs/pictures', `${name}.png`);
  const box = await tab.evaluate<{ width: number; height: number }>(
    `(({ width, height }) => ({ width: Math.ceil(width) + 28, height: Math.ceil(height) + 28 }))(document.querySelector('pre').getBoundingClientRect())`,
  );
  await tab.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, ...box } });
  await browser.close();
  const { size } = statSync(path);
  if (size > SIZE_LIMIT) throw new Error(`${path} has ${size} bytes, more than ${SIZE_LIMIT}`);
  console.log(`docs/pictures/${name}.png: ${size} bytes`);
}

let [failure, end] = ['', ''];
let phases: readonly PlannedPhase[] = [];
const runs = runsOf(join(folder, 'inventory.yaml'), true);
const fault = { fault: 'start-fails', host: 'indexer-3', unit: 'platform-indexer', times: 1 };
await work.withModel(() => {
  failure = work.onTerminal(COLUMNS, 'apply', 'upgrade-4.14.yaml', '-y');
  phases = plannedOf(runOf(runs))?.phases ?? [];
  end = work.onTerminal(COLUMNS, 'resume', '-y');
}, [fault]);
const shown: readonly Shown[] = [
  ...(await live(runOf(runs), phases)),
  {
    ...{ name: 'failure', title: 'A failure', terminal: printed(failure) },
    about: 'The last lines of the screen: what failed and why, what runs now, how long it can wait, what to type next.',
  },
  {
    ...{ name: 'end', title: 'The end', terminal: printed(end) },
    about: 'After `resume`: what was done, and where the documents are.',
  },
];
for (const one of shown) await picture(one);
const sections = shown.map(
  ({ name, title, about, terminal }) =>
    `## ${title}\n\n${about}\n\n![${title}](pictures/${name}.png)\n\nAs text:\n\n\`\`\`text\n${terminal.shown()}\n\`\`\``,
);
const head = readFileSync('tests/tools/pages/screens.md', 'utf8').trim();
writeFileSync('docs/screens.md', `<!-- Made by \`npm run pictures\`. -->\n\n${head}\n\n${sections.join('\n\n')}\n`);
rmSync(folder, { recursive: true });
