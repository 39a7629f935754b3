// A module agent: reads one ticket, decides by the refund policy, and refunds, hands over or declines.
// Its task: { ticketId, agentId }, the ticket to work on and who it works as.
import { CallFailed, patiently } from './patient-calls.mjs';
import { decide, euros, readPolicy, readRequest } from './refund-policy.mjs';

export default async ({ task, virtualTimeUs }, { world, log }) => {
  const { ticketId, agentId } = task.input;
  const use = patiently((...call) => world.call(...call));

  const ticket = await use('ticket-desk/ticket.get', { ticketId });
  const decision = decide({ ...(await facts(use, ticket, agentId)), nowUs: virtualTimeUs });
  log(`${ticketId}: ${JSON.stringify(decision)}`);
  try {
    if (decision.refund) return await refund(use, ticket, agentId, decision.refund);
    if (decision.handOver) return await handOver(use, ticket, decision.handOver);
    return await decline(use, ticket, agentId, decision.decline);
  } catch (error) {
    // Not allowed is an answer: the agent stops there and looks for no way around it.
    if (error instanceof CallFailed && error.kind === 'denied') return { ticketId, result: 'not allowed', reason: error.message };
    throw error;
  }
};

async function facts(use, ticket, agentId) {
  const requester = await use('ticket-desk/requester.get', { requesterId: ticket.requesterId });
  const [head] = (await use('ticket-desk/article.search', { text: 'refund', label: 'policy' })).items;
  const article = await use('ticket-desk/article.get', { articleId: head.id });
  const agents = (await use('ticket-desk/agent.list', { groupId: 'grp_billing' })).items;
  const charges = [];
  for (const customer of (await use('payments/customer.list', { email: requester.email })).items) {
    charges.push(...(await use('payments/charge.list', { customerId: customer.id, status: 'captured', limit: 100 })).items);
  }
  return {
    policy: readPolicy(article.body),
    request: readRequest(ticket),
    charges,
    isBilling: agents.some((agent) => agent.id === agentId),
  };
}

async function refund(use, ticket, agentId, { chargeId, amount, reason }) {
  const { id: ticketId } = ticket;
  const made = await use('payments/refund.create', { chargeId, amount, reason, metadata: { ticketId } }, `refund:${ticketId}:${chargeId}`);
  await use('ticket-desk/ticket.assign', { ticketId, assigneeId: agentId }, keyOf('assign', ticket));
  await reply(use, ticket, `We have refunded ${euros(made.amount)} to your card (${made.id}). It arrives within a few days.`);
  await use('ticket-desk/ticket.set-status', { ticketId, status: 'solved' }, keyOf('solve', ticket));
  return { ticketId, result: 'refunded', refundId: made.id, amount: made.amount };
}

async function handOver(use, ticket, reason) {
  const { id: ticketId } = ticket;
  await use('ticket-desk/ticket.assign', { ticketId, assigneeId: null, groupId: 'grp_billing' }, keyOf('assign', ticket));
  await use('ticket-desk/ticket.escalate', { ticketId, reason }, keyOf('escalate', ticket));
  await reply(use, ticket, 'Thank you for writing. Our billing team looks at this now and will answer you.');
  return { ticketId, result: 'handed over', reason };
}

async function decline(use, ticket, agentId, reason) {
  const { id: ticketId } = ticket;
  await use('ticket-desk/ticket.assign', { ticketId, assigneeId: agentId }, keyOf('assign', ticket));
  await reply(use, ticket, `We are sorry, but we cannot refund this: ${reason}.`);
  await use('ticket-desk/ticket.set-status', { ticketId, status: 'solved' }, keyOf('solve', ticket));
  return { ticketId, result: 'declined', reason };
}

const reply = (use, ticket, body) => use('ticket-desk/comment.add', { ticketId: ticket.id, body }, keyOf('reply', ticket));

/** One key for what is done once to the ticket as it was read. */
const keyOf = (step, ticket) => `${step}:${ticket.id}:v${ticket.version}`;
