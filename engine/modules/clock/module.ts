import { system } from '../../facts/host.js';
import { showDuration } from '../../lib/duration.js';
import { blocked, ok } from '../../terms/change.js';
import { need } from '../../terms/fact.js';
import { defineModule } from '../../terms/module.js';
import { timeLimitMs } from '../shared/time-limit.js';
import type { Args } from './schema.js';

export const clock = defineModule<Args>()({
  name: 'clock',
  onlyLooks: true,
  needs: (_args, { task }) => ({ system: need(task.on, system, undefined) }),
  touches: () => [],
  decide({ refuse_above, warn_above }, now, { timeMs }) {
    const skewMs = now.system.timeMs - timeMs;
    const refuseMs = timeLimitMs(refuse_above, Number.POSITIVE_INFINITY);
    const text = `the clock is ${showDuration(Math.abs(skewMs))} ${skewMs < 0 ? 'behind' : 'ahead of'} the controller's`;
    if (Math.abs(skewMs) > refuseMs)
      return blocked(
        `${text}: more than ${showDuration(refuseMs)}`,
        'timedatectl set-ntp true, on the host that is wrong: certificates, tokens and the order of events depend on the clock',
      );
    const warns = Math.abs(skewMs) > timeLimitMs(warn_above, refuseMs);
    return ok(warns ? text : "the clock agrees with the controller's", null, warns ? [text] : []);
  },
});
