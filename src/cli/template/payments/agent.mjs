// Replace this by your agent. It gets one task, uses the world's tools through `world.call`, and may return a JSON value.
export default async function supportAgent({ task }, { world, log }) {
  log(task.instruction);
  const charges = await use('charge.list', {});
  const [, ...doubles] = charges.items
    .filter(({ metadata }) => metadata.orderId === task.input.orderId)
    .sort((a, b) => a.createdAtUs - b.createdAtUs);
  const refunds = [];
  // One key for one intention: however often it is tried, the money goes back once.
  for (const { id } of doubles) refunds.push(await use('refund.create', { chargeId: id, reason: 'duplicate' }, `refund-the-double-${id}`));
  return { refunds: refunds.map(({ id }) => id) };

  async function use(operationId, args, idempotencyKey) {
    for (let tries = 1; ; tries++) {
      const outcome = await world.call('payments', operationId, args, idempotencyKey === undefined ? {} : { idempotencyKey });
      if (outcome.kind === 'ok') return outcome.value;
      if (outcome.error.retryable !== true || tries === 3)
        throw new Error(`${operationId}: ${outcome.error.code}: ${outcome.error.message}`);
    }
  }
}
