// The refund agent's careless colleague: it takes every error for "nothing happened" and simply asks again, as if for the first time.
// Compare with patient-calls.mjs, and see in the report what it costs.
import { readRequest } from './refund-policy.mjs';

export default async ({ task }, { world, message, log }) => {
  const { ticketId } = task.input;
  message({ role: 'user', content: task.instruction });
  const ticket = await again((options) => world.call('ticket-desk', 'ticket.get', { ticketId }, options));
  const { orderId, amount } = readRequest(ticket);
  const charges = await again((options) => world.call('payments', 'charge.list', { status: 'captured', limit: 100 }, options));
  const charge = charges.items.find((item) => item.metadata.orderId === orderId);
  const refund = { chargeId: charge.id, amount, reason: 'requested_by_customer' };
  // What a model would say: it stands beside the calls in the window and in the report.
  message({ role: 'assistant', content: `I refund **${amount} cents** of order \`${orderId}\`, as the ticket asks.` });
  const made = await again((options) => world.call('payments', 'refund.create', refund, options), log);
  return { ticketId, refundId: made.id };
};

async function again(call, log = () => {}) {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await call({ idempotencyKey: `attempt-number-${attempt}` });
    if (outcome.kind === 'ok') return outcome.value;
    log(`attempt ${attempt}: ${outcome.error.code}; I ask again`);
    if (attempt === 5) throw new Error(outcome.error.message);
  }
}
