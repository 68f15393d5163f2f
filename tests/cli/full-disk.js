// Loaded into the program by `node --import`: from its write number FULL_AT below `.runbook` on the disk is full. Writes are counted from the making of the
// run's folder on, and their number goes to the file FULL_COUNT.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { FULL_AT: at = 'Infinity', FULL_COUNT: countFile } = process.env;
const { mkdirSync, openSync, writeFileSync } = fs;
const opened = new Set();
let written;

const isOurs = (file) => (typeof file === 'number' ? opened.has(file) : String(file).includes('/.runbook/'));

const limited = (write) =>
  function (file, ...args) {
    if (written !== undefined && isOurs(file)) {
      written += 1;
      if (written >= Number(at))
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
    }
    return write.call(this, file, ...args);
  };

for (const name of ['writeSync', 'fsyncSync', 'writeFileSync']) fs[name] = limited(fs[name]);
const openToWrite = limited(openSync);
fs.openSync = (file, flags = 'r', ...mode) => {
  if (flags !== 'r' && typeof flags !== 'string') return openSync(file, flags, ...mode);
  const fd = (flags === 'r' ? openSync : openToWrite)(file, flags, ...mode);
  if (flags !== 'r' && isOurs(file)) opened.add(fd);
  else opened.delete(fd);
  return fd;
};
fs.mkdirSync = (path, ...more) => {
  if (String(path).includes('/.runbook/runs')) written ??= 0;
  return mkdirSync(path, ...more);
};
syncBuiltinESMExports();

if (countFile !== undefined) process.on('exit', () => writeFileSync(countFile, String(written)));
