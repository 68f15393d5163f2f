import { ok } from '../../terms/change.js';
import { done, need } from '../../terms/fact.js';
import { defineModule } from '../../terms/module.js';
import type { Args } from './schema.js';

export const confirm = defineModule<Args>()({
  name: 'confirm',
  onlyLooks: true,
  conditions: ['answered'],
  needs: (_args, { task }) => ({ done: need(task.on, done, '') }),
  touches: () => [],
  decide({ question, default: otherwise, answered }, now) {
    // No operator sees this question while the run goes on, so the plan and the end of the run show it.
    if (answered?.is === true) return ok('answered beforehand', 'yes', [`Confirmed beforehand: ${question}`]);
    if (now.done.is === 'done') return ok(`"${question}" was answered yes`, 'yes');
    // A question that was cut off is asked again: an answer without a record is none.
    return {
      is: 'change',
      change: {
        summary: question,
        sign: '?',
        actions: [{ do: 'ask', question: `${question} [${otherwise === 'yes' ? 'Y/n' : 'y/N'}]` }],
        touches: [],
        predicts: [],
      },
    };
  },
  judge({ question, default: otherwise }, outcome) {
    if (outcome.is !== 'said') return { is: 'done' };
    const answer = outcome.answer.trim() === '' ? (otherwise ?? '') : outcome.answer.trim();
    if (/^y(?:es)?$/i.test(answer)) return { is: 'done', value: 'yes' };
    return { is: 'failed', reason: `"${question}" was answered ${answer === '' ? 'with nothing' : `"${answer}"`}` };
  },
});
