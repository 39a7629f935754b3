// An output that says what its agent used: the member `usage`, where it is exactly that. For agents that have no context and no whole
// result, such as a command. A `usage` of another shape is a part of the output like any other.
import { isJsonObject } from '../../contract/json.js';
import { isUsage } from '../../contract/run/agent-usage.js';
import type { TargetRun } from './target-run.js';

/** The output stays: it is what the agent said. What it said through its context or its whole result stands before it. */
export function withSaidUsage(run: TargetRun): TargetRun {
  const { output } = run;
  if (run.usage !== undefined || !isJsonObject(output)) return run;
  const { usage } = output;
  return isUsage(usage) && Object.keys(usage).length > 0 ? { ...run, usage } : run;
}
