// The modules of `custom` assertions: each is asked in a host of its own, as the module of a target is, and has no world.
import { Semaphore } from '../../async/semaphore.js';
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import type { CustomAssertion } from '../../contract/run/assertion.js';
import type { RunError } from '../../contract/run/run.js';
import { validateJudgeAnswer } from '../../contract/validate/validators.js';
import type { ModuleJudge } from '../judge/module-judge.js';
import { runError } from '../ports/run-error.js';
import type { TargetRun } from './target-run.js';
import type { Targets } from './targets.js';

export interface JudgingOf {
  runId: string;
  drillId: string;
  /** Of the whole run. */
  signal: AbortSignal;
}

/** Of one attempt. */
export function moduleJudge(targets: Targets, { runId, drillId, signal }: JudgingOf): ModuleJudge {
  const turns = new Semaphore(limits.customJudgesAtOnceMax);
  return (assertion, view) =>
    turns.run(async () => {
      const run = { schemaVersion: 1, runId, drillId, assertionId: assertion.id, ...view, with: assertion.with } as const;
      return recordOf(await targets.judge(assertion, run, signal), assertion);
    });
}

function recordOf({ status, output, error, usage }: TargetRun, assertion: CustomAssertion): Awaited<ReturnType<ModuleJudge>> {
  const used = defined({ usage });
  if (status !== 'completed') return { error: judgeError(error, assertion), ...used };
  const answer = validateJudgeAnswer(output);
  if (answer.ok) return { answer: answer.value, ...used };
  const words = answer.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return { error: runError('assertion.JUDGE_ANSWER_INVALID', `Its answer is none: ${words}.`, { issues: answer.issues }), ...used };
}

/** What befalls the module of a target, in the words of a judge. */
function judgeError(error: RunError | undefined, { timeoutMs }: CustomAssertion): RunError {
  const { code = 'target.CRASHED', message = 'It ended.', details = {} } = error ?? {};
  const name = code.slice(code.indexOf('.') + 1);
  const words =
    name === 'TIMED_OUT' ? `It did not answer within ${timeoutMs} ms.` : name === 'CANCELLED' ? 'The run was cancelled.' : message;
  return runError(`assertion.JUDGE_${name}`, words, { details });
}
