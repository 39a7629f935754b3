// The agent: an ordinary function of the application, which in production is given a client of the real payment provider.
import { stateOfOrder } from './order-book.mjs';

const triesMax = 4;

/** @param use (operation, arguments, key) => the operation's value; throws what cannot be helped. */
export async function settleOrders(use, log) {
  const settled = [];
  for (const { id: chargeId, metadata } of (await use('charge.list', { status: 'authorized' })).items) {
    const state = stateOfOrder(metadata.orderId);
    log(`order ${metadata.orderId} is ${state}`);
    if (state === 'shipped') await use('charge.capture', { chargeId }, `capture:${metadata.orderId}`);
    else if (state === 'cancelled') await use('charge.void', { chargeId }, `void:${metadata.orderId}`);
    else continue;
    settled.push(metadata.orderId);
  }
  return { settled: settled.sort() };
}

/** The same function in a world: what Drillyard calls for each interaction of an external target. */
export async function orderClerk(_invocation, { world, log }) {
  return settleOrders(async (operationId, args, idempotencyKey) => {
    for (let tries = 1; ; tries++) {
      const outcome = await world.call('payments', operationId, args, idempotencyKey === undefined ? {} : { idempotencyKey });
      if (outcome.kind === 'ok') return outcome.value;
      if (!outcome.error.retryable || tries === triesMax) throw new Error(`${operationId}: ${outcome.error.code}`);
    }
  }, log);
}
