// Replace this by your agent and its MCP client: the server is at SERVICE_MCP_URL (Streamable HTTP), SERVICE_MCP_TOKEN is its bearer.
// The task comes as JSON on stdin; what is printed on stdout is the result, stderr is the log.
const { SERVICE_MCP_URL: url, SERVICE_MCP_TOKEN: token } = process.env;

let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
console.error(JSON.parse(text).task.instruction);

await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'support-agent', version: '1.0.0' } });
const { tools } = await request('tools/list', {});
console.error(`tools: ${tools.map(({ name }) => name).join(', ')}`);

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
  const result = await request('tools/call', { name: `ticket-desk.${operationId}`, arguments: args });
  if (result.isError === true) throw new Error(`${operationId}: ${result.content[0]?.text}`);
  return result.structuredContent;
}

async function request(method, params) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(method === 'initialize' ? {} : { 'mcp-protocol-version': '2025-11-25' }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  // One message, or a stream of events of which the last is the answer.
  const body = await reply.text();
  const events = body.split(/\r?\n\r?\n/).flatMap((event) => /^data: ?(.*)$/m.exec(event)?.[1] ?? []);
  const { result, error } = JSON.parse(events.at(-1) ?? body);
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}
