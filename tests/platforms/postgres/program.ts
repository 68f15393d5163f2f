import { usePlatform } from '../../../engine/cli/platforms.js';
import { postgres } from './platform.js';

/** `runbook` for this platform alone. */
await usePlatform(postgres);
await import('../../../engine/cli/main.js');
