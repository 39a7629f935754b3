// Who works on a ticket: only active agents, and only members of the ticket's group.
import type { Agent, Context, Ticket } from './model.js';
import { requireChangeable, requireRow, saveTicket } from './rows.js';
import { changeStatus } from './status.js';

export interface Assignment {
  assigneeId: string | null;
  groupId: string | null;
}
interface Wish {
  readonly assigneeId?: string | null;
  readonly groupId?: string | null;
}

export function assignTicket(input: Wish & { readonly ticketId: string; readonly expectedVersion?: number }, context: Context): Ticket {
  const ticket = requireChangeable(context, input);
  const assignment = resolveAssignment(context, input, ticket);
  if (assignment.assigneeId === ticket.assigneeId && assignment.groupId === ticket.groupId) return ticket;
  context.events.emit('ticket.assigned', { ticketId: ticket.id, ...assignment });
  const assigned = { ...ticket, ...assignment };
  return saveTicket(
    context,
    assignment.assigneeId !== null && ticket.status === 'new' ? changeStatus(context, assigned, 'open') : assigned,
  );
}

/** What is wished, where it is allowed; what is left out follows from the other half and from what was. */
export function resolveAssignment(context: Context, wish: Wish, current: Readonly<Assignment>): Assignment {
  if (typeof wish.groupId === 'string') requireRow(context, 'groups', wish.groupId, 'GROUP_NOT_FOUND');
  if (typeof wish.assigneeId !== 'string') return withoutNewAssignee(context, wish, current);
  const agent = requireActive(context, wish.assigneeId);
  if (wish.groupId === undefined) {
    const stays = current.groupId !== null && isMember(agent, current.groupId);
    return { assigneeId: agent.id, groupId: stays ? current.groupId : (agent.groupIds[0] ?? null) };
  }
  if (!isMember(agent, wish.groupId)) {
    return context.fail({
      code: 'AGENT_NOT_IN_GROUP',
      message: `${agent.id} is not in ${wish.groupId}.`,
      details: { groupIds: agent.groupIds },
    });
  }
  return { assigneeId: agent.id, groupId: wish.groupId };
}

function withoutNewAssignee(context: Context, wish: Wish, current: Readonly<Assignment>): Assignment {
  const groupId = wish.groupId === undefined ? current.groupId : wish.groupId;
  if (wish.assigneeId === null || current.assigneeId === null) return { assigneeId: null, groupId };
  const agent = context.state.get('agents', current.assigneeId);
  return { assigneeId: agent && isMember(agent, groupId) ? agent.id : null, groupId };
}

function requireActive(context: Context, agentId: string): Agent {
  const agent = requireRow(context, 'agents', agentId, 'AGENT_NOT_FOUND');
  return agent.active ? agent : context.fail({ code: 'AGENT_INACTIVE', message: `${agent.name} no longer works at the desk.` });
}

/** A ticket in no group is open to everybody. */
const isMember = (agent: Agent, groupId: string | null): boolean => groupId === null || agent.groupIds.includes(groupId);
