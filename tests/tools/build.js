// Builds dist/: validators compiled ahead from the schemas, then the program.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { bundle } from './bundle.js';

const validators = spawnSync(process.execPath, ['tests/tools/validators.js'], { stdio: 'inherit' });
if (validators.status !== 0) process.exit(validators.status ?? 1);

rmSync('dist', { recursive: true, force: true });
await bundle('engine/cli/main.ts', 'dist/cli');
