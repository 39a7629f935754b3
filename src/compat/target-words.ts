// How a target of the other runner is asked, and what its answer says: a value, or a whole result.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { TargetAnswer, TargetDialect } from '../contract/run/dialect.js';

export const otherTargetDialect: TargetDialect = {
  invocation: (native, environment) => {
    const { task } = native as { task?: { instruction: string; input?: JsonValue } };
    return { ...native, ...task, bindingEnvironment: environment };
  },
  answer: (output) => {
    if (!isJsonObject(output) || output.schemaVersion !== 1 || typeof output.status !== 'string') return { status: 'completed', output };
    const { schemaVersion: _, status, output: value, error, attachments, ...strange } = output;
    const [unread] = Object.keys(strange);
    if (unread !== undefined) return failed('target.RESULT_NOT_ADAPTED', `The member '${unread}' of a whole result is not adapted.`);
    if (Array.isArray(attachments) && attachments.length > 0)
      return failed('target.RESULT_NOT_ADAPTED', 'Attachments in a whole result are not adapted: put them into the folder of attachments.');
    switch (status) {
      case 'completed':
        return value === undefined ? { status } : { status, output: value };
      case 'failed':
      case 'timed_out':
        return { status, error: errorOf(error) };
      // Only the runner cancels a run.
      case 'cancelled':
        return { status: 'failed', error: errorOf(error ?? { message: 'The agent says that it was cancelled.' }) };
      default:
        return failed('target.RESULT_NOT_ADAPTED', `A whole result of the status '${status}' is not adapted.`);
    }
  },
};

function failed(code: string, message: string): TargetAnswer {
  return { status: 'failed', error: { code, message, details: {} } };
}

/** A code that is no target's is said in the details. */
function errorOf(error: JsonValue | undefined): { code: string; message: string; details: JsonObject } {
  const said: JsonObject = isJsonObject(error) ? error : { message: error ?? null };
  const { code, message, details } = said;
  const isTargets = typeof code === 'string' && /^target\.[A-Z][A-Z0-9_]*$/.test(code);
  return {
    code: isTargets ? code : 'target.AGENT_FAILED',
    message: typeof message === 'string' && message !== '' ? message : 'The agent says that it failed.',
    details: { ...(isJsonObject(details) ? details : {}), ...(code === undefined || isTargets ? {} : { code }) },
  };
}
