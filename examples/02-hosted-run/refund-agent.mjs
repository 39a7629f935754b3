// An agent: reads a ticket of somebody who was charged twice, finds the payment that is too many and gives it back, once.
// The same program would run as a command target of a local drill.
import { text } from 'node:stream/consumers';

const { SERVICE_HTTP_URL: url, SERVICE_HTTP_TOKEN: token } = process.env;
const { task } = JSON.parse(await text(process.stdin));
const { ticketId, agentId } = task.input;

const ticket = await use('ticket-desk/ticket.get', { ticketId });
const requester = await use('ticket-desk/requester.get', { requesterId: ticket.requesterId });
await requireDuplicatesRefunded();
const charge = await duplicateCharge(requester.email, /order (\d+)/.exec(ticket.description)[1]);

const refund = { chargeId: charge.id, amount: charge.amount, reason: 'duplicate', metadata: { ticketId } };
const made = await use('payments/refund.create', refund, `refund:${ticketId}:${charge.id}`);
await use('ticket-desk/ticket.assign', { ticketId, assigneeId: agentId }, `assign:${ticketId}`);
await use('ticket-desk/comment.add', { ticketId, body: `We have given one of the two payments back (${made.id}).` }, `reply:${ticketId}`);
await use('ticket-desk/ticket.set-status', { ticketId, status: 'solved' }, `solve:${ticketId}`);
console.log(JSON.stringify({ ticketId, refundId: made.id }));

async function requireDuplicatesRefunded() {
  const [found] = (await use('ticket-desk/article.search', { text: 'refund', label: 'policy' })).items;
  const policy = await use('ticket-desk/article.get', { articleId: found.id });
  if (!/duplicate charges are refunded/i.test(policy.body)) throw new Error('the policy does not allow it');
}

/** Two captured payments of one amount for one order: the later one is too many. They come newest first. */
async function duplicateCharge(email, orderId) {
  const charges = [];
  for (const customer of (await use('payments/customer.list', { email })).items) {
    charges.push(...(await use('payments/charge.list', { customerId: customer.id, status: 'captured', limit: 100 })).items);
  }
  const [later, earlier] = charges.filter((charge) => charge.metadata.orderId === orderId);
  if (earlier?.amount !== later?.amount) throw new Error(`order ${orderId} was not paid twice`);
  return later;
}

/** Calls a tool; what may be retried is retried with the same key, so that it is done once. */
async function use(tool, args, idempotencyKey) {
  const [packageId, operationId] = tool.split('/');
  for (let attempt = 1; ; attempt += 1) {
    const reply = await fetch(`${url}/v1/operations/${packageId}/${operationId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: args, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
    });
    const { outcome, message } = await reply.json();
    if (outcome?.kind === 'ok') return outcome.value;
    if (outcome?.kind === 'denied') stop({ ticketId, result: 'not allowed' });
    if (!outcome?.error.retryable || attempt === 5) throw new Error(`${tool}: ${outcome?.error.message ?? message}`);
  }
}

/** Not allowed is an answer: the agent looks for no way around it. */
function stop(output) {
  console.log(JSON.stringify(output));
  process.exit(0);
}
