import { blocked, ok, type Verdict } from '../../../../../engine/terms/change.js';
import { need } from '../../../../../engine/terms/fact.js';
import { defineModule } from '../../../../../engine/terms/module.js';
import { balancedServer, type BalancedServer } from '../../facts/balanced-server.js';
import type { Args } from './schema.js';

const refOf = ({ endpoint, server }: Args) => need({ endpoint }, balancedServer, { server });

export const drain = defineModule<Args>()({
  name: 'drain',
  needs: (args) => ({ now: refOf(args) }),
  touches: (args) => [refOf(args)],
  decide: (args, { now }) => judge(args, now),
});

function judge(args: Args, now: BalancedServer): Verdict {
  const { endpoint, server, state } = args;
  if (now.is === 'unreachable') return { is: 'waiting', for: `${endpoint} to answer: ${now.reason}` };
  if (now.is === 'unknown') return blocked(`${endpoint} has no server "${server}"`, 'GET /servers lists them');
  const mode = state === 'drained' ? 'drain' : 'ready';
  if (now.mode === mode) {
    if (now.mode === 'ready' || now.sessions === 0) return ok(`${server} is ${state}`);
    return { is: 'waiting', for: `${server} to end ${now.sessions} sessions`, everyMs: 1_000, limitMs: 600_000 };
  }
  const request = { endpoint, method: 'PUT', path: `/servers/${server}`, json: { mode }, timeoutMs: 30_000 } as const;
  return {
    is: 'change',
    change: {
      summary: `${server} ${mode === 'drain' ? 'leaves' : 'returns to'} ${endpoint}`,
      sign: '~',
      actions: [{ do: 'request', request, expect: { status: [200] } }],
      touches: [refOf(args)],
      predicts: [{ ref: refOf(args), value: { is: 'server', mode, ...(mode === 'drain' ? { sessions: 0 } : {}) } }],
    },
  };
}
