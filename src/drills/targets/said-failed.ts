// An output in which the agent itself says that it failed: `{ status: "failed", error: { message } }`, the same with a text as `error`, or
// a whole result of that status. A command or a module has no other way of saying so but its exit code or a throw, and one that says so has
// not completed.
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import { runError } from '../ports/run-error.js';
import type { TargetRun } from './target-run.js';

/** The output stays: it is what the agent said. */
export function withSaidFailure(run: TargetRun): TargetRun {
  if (run.status !== 'completed' || !isJsonObject(run.output) || run.output.status !== 'failed') return run;
  const { error, schemaVersion } = run.output;
  const said: Partial<JsonObject> = isJsonObject(error) ? error : { message: error ?? null };
  if (schemaVersion !== 1 && typeof said.message !== 'string') return run;
  const code = typeof said.code === 'string' && /^target\.[A-Z][A-Z0-9_]*$/.test(said.code) ? said.code : 'target.AGENT_FAILED';
  const message = typeof said.message === 'string' && said.message !== '' ? said.message : 'The agent says that it failed.';
  return {
    ...run,
    status: 'failed',
    error: runError(code as `target.${string}`, message, { details: isJsonObject(said.details) ? said.details : {} }),
  };
}
