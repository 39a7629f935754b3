// Escalations: a missed SLA or a request raises the priority by one step and leaves a record.
import {
  type Context,
  type DeskTypes,
  type Escalation,
  type EscalationCause,
  type Page,
  type Priority,
  priorities,
  type Ticket,
} from './model.js';
import { pageOf, sortBy } from './paging.js';
import { eachRow, nextEscalationId, requireTicket, saveTicket } from './rows.js';
import { isMissed, missTarget, resetTimers } from './sla.js';

export function escalateTicket(
  input: { readonly ticketId: string; readonly reason: string },
  context: Context,
): { ticket: Ticket; escalation: Escalation } {
  const ticket = requireTicket(context, input.ticketId);
  if (ticket.status === 'solved' || ticket.status === 'closed') {
    return context.fail({ code: 'TICKET_NOT_OPEN', message: `${ticket.id} is ${ticket.status}.`, details: { status: ticket.status } });
  }
  const escalated = escalate(context, ticket, { cause: 'requested', reason: input.reason, actorId: context.actor.id });
  return { ticket: saveTicket(context, escalated.ticket), escalation: escalated.escalation };
}

/** Handles `sla.timer-due`: nothing to do when the timer was met, cancelled or reset meanwhile. */
export function checkSla(due: DeskTypes['events']['sla.timer-due'], context: Context): void {
  const ticket = context.state.get('tickets', due.ticketId);
  if (ticket === undefined || !isMissed(ticket, due.target, due.revision)) return;
  const missed = { ...ticket, sla: missTarget(context, ticket, due.target) };
  const cause = due.target === 'firstResponse' ? 'first-response-overdue' : 'resolution-overdue';
  saveTicket(context, escalate(context, missed, { cause, reason: null, actorId: null }).ticket);
}

export function listEscalations(
  input: { readonly ticketId?: string; readonly limit?: number; readonly cursor?: string },
  context: Context,
): Page<Escalation> {
  if (input.ticketId !== undefined) requireTicket(context, input.ticketId);
  const newestFirst = { idOf: (item: Escalation) => item.id, keyOf: (item: Escalation) => item.createdAtUs, order: 'desc' } as const;
  const items = [...eachRow(context, 'escalations')].filter((item) => input.ticketId === undefined || item.ticketId === input.ticketId);
  const scope = `escalations ${input.ticketId ?? ''}`;
  return pageOf(context, { ...newestFirst, items: sortBy(items, newestFirst), scope, limit: input.limit, cursor: input.cursor });
}

/** The ticket one step up, not yet saved, and the record of it. */
function escalate(
  context: Context,
  ticket: Ticket,
  why: { cause: EscalationCause; reason: string | null; actorId: string | null },
): { ticket: Ticket; escalation: Escalation } {
  const { id: ticketId, priority: fromPriority } = ticket;
  const toPriority = oneUp(fromPriority);
  const escalation = { id: nextEscalationId(context), ticketId, ...why, fromPriority, toPriority, createdAtUs: context.clock.nowUs() };
  context.state.put('escalations', escalation.id, escalation);
  context.events.emit('ticket.escalated', { ticketId, escalationId: escalation.id, cause: why.cause, fromPriority, toPriority });
  const raised = { ...ticket, priority: toPriority, escalationLevel: ticket.escalationLevel + 1 };
  return { ticket: toPriority === fromPriority ? raised : { ...raised, sla: resetTimers(context, raised) }, escalation };
}

const oneUp = (priority: Priority): Priority => priorities[priorities.indexOf(priority) + 1] ?? priority;
