import { platform } from '/work/main/tests/run/platform-bench.js';
import { planView } from '/work/main/engine/report/plan-view.js';
import { endView } from '/work/main/engine/report/end-view.js';
import { progressLine } from '/work/main/engine/report/progress.js';
const p = await platform();
const paper = { color: false, width: 160 };
if (process.argv.includes('plan')) {
  const r = await p.run('plan');
  console.log(planView(r.recorded, { ...paper, diff: false, verbose: process.argv.includes('-v') }));
}
if (process.argv.includes('apply')) {
  const r = await p.run('apply', { on: (e) => { const l = progressLine(e, paper, 0); if (l) console.log(l); } });
  console.log(endView(r.recorded, paper));
  for (const e of r.events) if (e.e === 'observed') console.log(JSON.stringify(e).slice(0, 600));
}
if (process.argv.includes('twice')) {
  const r = await p.run('apply', { on: (e) => { const l = progressLine(e, paper, 1); if (l) console.log(l); } });
  console.log(endView(r.recorded, paper));
}
