// A command agent: one invocation on stdin, one JSON value on stdout, notes on stderr, and the tools behind SERVICE_HTTP_URL.
// It gives every new ticket to the right group and agent, answers it once, and raises the priority where the text calls for it.
import { patiently } from './patient-calls.mjs';

const { SERVICE_HTTP_URL: url, SERVICE_HTTP_TOKEN: token } = process.env;
const use = patiently(callOverHttp);

const groups = [
  { id: 'grp_billing', words: /charged|refund|payment|invoice|paid/i },
  { id: 'grp_support', words: /./ },
];
const hurry = /urgent|immediately|concert|tonight/i;

const invocation = JSON.parse(await text(process.stdin));
const triaged = [];
for (const ticket of (await use('ticket-desk/ticket.search', { status: ['new'], order: 'asc', limit: 100 })).items) {
  triaged.push(await triage(ticket));
}
console.error(`${invocation.interactionId}: ${triaged.length} new tickets`);
console.log(JSON.stringify({ triaged }));

async function triage({ id: ticketId, subject, description, priority }) {
  const words = `${subject}\n${description}`;
  const groupId = groups.find((group) => group.words.test(words)).id;
  const [assignee] = (await use('ticket-desk/agent.list', { groupId, activeOnly: true })).items.filter((agent) => agent.role === 'agent');
  if (hurry.test(words) && priority !== 'urgent') {
    await use(
      'ticket-desk/ticket.escalate',
      { ticketId, reason: `The requester is in a hurry: ${subject}` },
      `triage-escalate:${ticketId}`,
    );
  }
  await use('ticket-desk/ticket.assign', { ticketId, assigneeId: assignee.id, groupId }, `triage-assign:${ticketId}`);
  const requester = await use('ticket-desk/requester.get', {
    requesterId: (await use('ticket-desk/ticket.get', { ticketId })).requesterId,
  });
  const body = `Hello ${requester.name}, thank you for writing. ${assignee.name} takes care of it.`;
  await use('ticket-desk/comment.add', { ticketId, body }, `triage-reply:${ticketId}`);
  return { ticketId, groupId, assigneeId: assignee.id };
}

async function callOverHttp(packageId, operationId, args, { idempotencyKey }) {
  const response = await fetch(`${url}/v1/operations/${packageId}/${operationId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: args, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }),
  });
  const answer = await response.json();
  // A refusal of the service itself, such as a bad token: no tool ever saw the call.
  if (!response.ok) throw new Error(`${operationId}: ${response.status} ${answer.code}: ${answer.message}`);
  return answer.outcome;
}

async function text(stream) {
  let all = '';
  for await (const chunk of stream.setEncoding('utf8')) all += chunk;
  return all;
}
