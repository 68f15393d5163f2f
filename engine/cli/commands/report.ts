import { writeFileSync } from 'node:fs';
import { defined } from '../../lib/defined.js';
import { isEarlier } from '../../journal/earlier.js';
import { findCopy, inspectEvents, listRuns, type RunFolder } from '../../journal/run-folder.js';
import type { Document } from '../../report/document/document.js';
import { FORMATS, type Format } from '../../report/document/format.js';
import { masked } from '../../report/document/mask.js';
import { render } from '../../report/document/render.js';
import { runDocument, type RunContext } from '../../report/document/run-document.js';
import type { Recorded } from '../../terms/event.js';
import { backOutOf } from '../plan/back-out.js';
import { baselinesOf } from '../run/baseline.js';
import { causesOf } from '../run/causes.js';
import { EXIT, invalid, refusal } from '../options/exit.js';
import { parseFlags, type Flags } from '../options/flags.js';
import { linksOf } from '../terminal/links.js';
import { inUse } from '../run/lock.js';
import { waysOf } from '../run/rollback-options.js';
import { stateAfter } from '../run/state-after.js';
import { plannedOf } from '../plan/plan-of-run.js';
import { plannedDone } from '../plan/planned-done.js';
import { namesOf } from '../run/public-names.js';
import { shownEvents } from '../run/waiver-approvals.js';
import { pickRun } from './show.js';
import { unreadableRefusal } from '../terminal/io-errors.js';
import { runsFor } from '../run/unfinished.js';

/** `runbook report [RUN]`: what a run did, or has done so far, as a document. Contacts no host. */
export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseFlags('report', argv);
  const folder = pickRun('report', flags);
  const { events: past, damage } = inspectEvents(folder);
  if (damage !== undefined && isEarlier(folder.journalFile)) throw unreadableRefusal(EXIT.refused, { folder, damage });
  const events = await shownEvents(folder, past);
  // A report needs the journal alone.
  const copy = findCopy(folder);
  const ways = await waysOf(folder, flags);
  const document = documentOf(folder, flags, { events, ways, ...defined({ damage }) });
  const shown = flags.public ? masked(document, await namesOf(copy, events)) : document;
  write(render(shown, formatOf(flags)), flags);
  if (damage !== undefined) throw unreadableRefusal(EXIT.refused, { folder, damage });
  return EXIT.done;
}

function documentOf(
  folder: RunFolder,
  flags: Flags,
  { events, ways, damage }: Pick<RunContext, 'ways' | 'damage'> & { readonly events: readonly Recorded[] },
): Document {
  const runs = runsFor(flags);
  const planned = plannedOf(folder);
  const backOut = backOutOf(folder);
  const comparison = plannedDone(folder, events, runs, planned);
  return runDocument(events, {
    run: folder.id,
    isRunning: listRuns(runs).at(-1) === folder.id && inUse(runs) !== undefined,
    ...(damage === undefined ? {} : { damage }),
    ...linksOf(runs, folder.id),
    ...(comparison?.approved === undefined ? {} : { approved: comparison.approved }),
    ...(planned === undefined ? {} : { planned }),
    ...(backOut === undefined ? {} : { backOut }),
    baselines: baselinesOf(folder),
    causes: causesOf(folder, events),
    ...defined({ comparison, now: stateAfter(folder, events) }),
    ways,
  });
}

/** As it was asked for, else as the name of the file says. */
const formatOf = ({ format, output = '' }: Flags): Format =>
  format ?? FORMATS.find((name) => output.endsWith(`.${name}`)) ?? 'md';

/** An existing file is never overwritten: it may be the inventory. */
function write(text: string, { output }: Flags): void {
  if (output === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(output, text, { flag: 'wx', mode: 0o600 });
    process.stdout.write(`Written to ${output}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw invalid(`${output} exists; name another file, or remove it`);
    throw refusal(EXIT.refused, `the report cannot be written to ${output} (${code ?? String(error)})`);
  }
}
