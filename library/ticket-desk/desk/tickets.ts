// Opening, reading and editing tickets.
import { resolveAssignment } from './assignment.js';
import type { Context, Priority, Ticket } from './model.js';
import { nextTicketId, requireChangeable, requireRow, requireTicket, saveTicket } from './rows.js';
import { resetTimers, startTimers } from './sla.js';

export interface NewTicket {
  readonly requesterId: string;
  readonly subject: string;
  readonly description: string;
  readonly priority?: Priority;
  readonly assigneeId?: string;
  readonly groupId?: string;
  readonly tags?: readonly string[];
}
interface TicketEdit {
  readonly ticketId: string;
  readonly expectedVersion?: number;
  readonly subject?: string;
  readonly priority?: Priority;
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
}

const tagsMax = 50;

export function createTicket(input: NewTicket, context: Context): Ticket {
  const { requesterId, subject, description, priority = 'normal', tags = [] } = input;
  requireRow(context, 'requesters', requesterId, 'REQUESTER_NOT_FOUND');
  const { assigneeId, groupId } = resolveAssignment(context, input, { assigneeId: null, groupId: null });
  const id = nextTicketId(context);
  const status = assigneeId === null ? 'new' : 'open';
  const nowUs = context.clock.nowUs();
  const ticket: Ticket = {
    id,
    subject,
    description,
    status,
    priority,
    requesterId,
    assigneeId,
    groupId,
    tags: [...tags].sort(),
    commentCount: 0,
    escalationLevel: 0,
    sla: startTimers(context, id, priority),
    createdAtUs: nowUs,
    updatedAtUs: nowUs,
    solvedAtUs: null,
    closedAtUs: null,
    version: 1,
  };
  context.state.put('tickets', id, ticket);
  context.events.emit('ticket.created', { ticketId: id, requesterId, priority, status });
  return ticket;
}

export function getTicket(input: { readonly ticketId: string }, context: Context): Ticket {
  return requireTicket(context, input.ticketId);
}

export function updateTicket(input: TicketEdit, context: Context): Ticket {
  const ticket = requireChangeable(context, input);
  const edited = {
    ...ticket,
    subject: input.subject ?? ticket.subject,
    priority: input.priority ?? ticket.priority,
    tags: editedTags(context, ticket, input),
  };
  const fields = (['subject', 'priority', 'tags'] as const).filter((field) => String(edited[field]) !== String(ticket[field]));
  if (fields.length === 0) return ticket;
  context.events.emit('ticket.updated', { ticketId: ticket.id, version: ticket.version + 1, fields });
  return saveTicket(context, fields.includes('priority') ? { ...edited, sla: resetTimers(context, edited) } : edited);
}

function editedTags(context: Context, ticket: Ticket, { addTags = [], removeTags = [] }: TicketEdit): readonly string[] {
  const tags = new Set([...ticket.tags, ...addTags]);
  for (const tag of removeTags) tags.delete(tag);
  if (tags.size > tagsMax)
    return context.fail({ code: 'TOO_MANY_TAGS', message: `A ticket has at most ${tagsMax} tags.`, details: { tags: tags.size } });
  return [...tags].sort();
}
