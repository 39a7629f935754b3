// How both agents call tools: an error that may be retried is retried, always with the same idempotency key, so that a call whose
// answer was lost is not done twice.

const attemptsMax = 6;

/** A tool that said no, after all retries. */
export class CallFailed extends Error {
  constructor(operationId, outcome) {
    super(`${operationId}: ${outcome.error.code}: ${outcome.error.message}`);
    this.kind = outcome.kind;
    this.code = outcome.error.code;
  }
}

/** From `call(packageId, operationId, arguments, { idempotencyKey }) -> outcome` to `(tool, arguments, idempotencyKey) -> value`. */
export function patiently(call) {
  return async (tool, args = {}, idempotencyKey = undefined) => {
    const [packageId, operationId] = tool.split('/');
    const options = idempotencyKey === undefined ? {} : { idempotencyKey };
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await call(packageId, operationId, args, options);
      if (outcome.kind === 'ok') return outcome.value;
      if (!outcome.error.retryable || attempt === attemptsMax) throw new CallFailed(operationId, outcome);
    }
  };
}
