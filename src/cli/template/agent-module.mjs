// Replace this by your agent. It gets one task, uses the world's tools through `world.call`, and may return a JSON value.
export default async function supportAgent({ task }, { world, log }) {
  log(task.instruction);
  const use = async (operationId, args) => {
    const outcome = await world.call('ticket-desk', operationId, args);
    if (outcome.kind !== 'ok') throw new Error(`${operationId}: ${outcome.error.code}: ${outcome.error.message}`);
    return outcome.value;
  };

  const answered = [];
  for (const { id: ticketId, subject } of (await use('ticket.search', { status: ['new'] })).items) {
    const groupId = /charged|refund|invoice/i.test(subject) ? 'grp_billing' : 'grp_support';
    const [assignee] = (await use('agent.list', { groupId, activeOnly: true })).items.filter(({ role }) => role === 'agent');
    await use('ticket.assign', { ticketId, assigneeId: assignee.id, groupId });
    await use('comment.add', { ticketId, body: `Thank you for writing. ${assignee.name} takes care of it.` });
    answered.push(ticketId);
  }
  return { answered };
}
