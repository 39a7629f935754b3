// Replace this by your agent, in any language. The task comes as JSON on stdin; what it prints on stdout is its result, stderr is its log.
const { SERVICE_HTTP_URL: url, SERVICE_HTTP_TOKEN: token } = process.env;

let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
console.error(JSON.parse(text).task.instruction);

const answered = [];
for (const { id: ticketId, subject } of (await use('ticket.search', { status: ['new'] })).items) {
  const groupId = /charged|refund|invoice/i.test(subject) ? 'grp_billing' : 'grp_support';
  const [assignee] = (await use('agent.list', { groupId, activeOnly: true })).items.filter(({ role }) => role === 'agent');
  await use('ticket.assign', { ticketId, assigneeId: assignee.id, groupId });
  await use('comment.add', { ticketId, body: `Thank you for writing. ${assignee.name} takes care of it.` });
  answered.push(ticketId);
}
console.log(JSON.stringify({ answered }));

async function use(operationId, args) {
  const reply = await fetch(`${url}/v1/operations/ticket-desk/${operationId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: args }),
  });
  const { outcome, message } = await reply.json();
  if (outcome?.kind !== 'ok') throw new Error(`${operationId}: ${outcome?.error.message ?? message}`);
  return outcome.value;
}
