// Loaded into the program by `node --import`: ends it by SIGKILL around its write number KILL_AT, to a file or to a connection, counted from the making of the
// run's folder on. KILL_WHEN: `before` that write, `after` it, or KILL_AFTER_MS `later`. Without KILL_AT the number of all writes goes to the file KILL_COUNT.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Duplex } from 'node:stream';

const { KILL_AT: at, KILL_WHEN: when, KILL_AFTER_MS: afterMs, KILL_COUNT: countFile } = process.env;
const { mkdirSync, writeFileSync } = fs;
let written;

const end = () => process.kill(process.pid, 'SIGKILL');

const counted = (write) =>
  function (...args) {
    if (written === undefined || this === process.stdout || this === process.stderr) return write.apply(this, args);
    written += 1;
    if (written !== Number(at)) return write.apply(this, args);
    if (when === 'before') end();
    const result = write.apply(this, args);
    if (when === 'after') end();
    if (when === 'later') setTimeout(end, Number(afterMs));
    return result;
  };

for (const name of ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'writeFileSync', 'rmSync', 'unlinkSync'])
  fs[name] = counted(fs[name]);
fs.mkdirSync = (path, ...more) => {
  if (String(path).includes('/.runbook/runs')) written ??= 0;
  return mkdirSync(path, ...more);
};
syncBuiltinESMExports();
for (const name of ['write', 'end']) Duplex.prototype[name] = counted(Duplex.prototype[name]);

if (countFile !== undefined) process.on('exit', () => writeFileSync(countFile, String(written)));
