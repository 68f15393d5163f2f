import type { Step } from '../../terms/playbook.js';
import { isYes } from './prompt.js';

/** `--step`: asks once for each step whether to do it, whatever number of hosts there are; "all" asks no more. No answer is a no. */
export function stepAsker(ask: (question: string) => Promise<string | undefined>): (step: Step) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>();
  let all = false;
  const askNow = async (step: Step): Promise<boolean> => {
    if (all) return true;
    const answer = (
      await ask(`Do "${step.name}"${step.spec === undefined ? '' : ` (§${step.spec})`}? [y/N/all]`)
    )?.trim();
    all = answer !== undefined && /^a(ll)?$/i.test(answer);
    return all || isYes(answer);
  };
  return (step) => {
    const answer = asked.get(step.path) ?? askNow(step);
    asked.set(step.path, answer);
    return answer;
  };
}
