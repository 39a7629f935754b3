// The status workflow, in one place: where a ticket may go, and what each move brings with it.
import { type Context, type DeskTypes, dayUs, type Status, type Ticket } from './model.js';
import { requireChangeable, saveTicket } from './rows.js';
import { meetResolution, restartResolution } from './sla.js';

const transitions: { readonly [from in Status]: readonly Status[] } = {
  new: ['open', 'pending', 'solved'],
  open: ['pending', 'solved'],
  pending: ['open', 'solved'],
  solved: ['open', 'closed'],
  closed: [],
};
/** A solved ticket can be reopened for this long. */
const closeAfterUs = 4 * dayUs;

export function setStatus(
  input: { readonly ticketId: string; readonly status: Status; readonly expectedVersion?: number },
  context: Context,
): Ticket {
  const ticket = requireChangeable(context, input);
  const { status } = input;
  if (status === ticket.status) return ticket;
  const allowed = transitions[ticket.status];
  if (!allowed.includes(status)) {
    return context.fail({
      code: 'INVALID_TRANSITION',
      message: `${ticket.id} cannot go from ${ticket.status} to ${status}.`,
      details: { from: ticket.status, allowed },
    });
  }
  if (status === 'solved' && ticket.assigneeId === null) {
    return context.fail({ code: 'ASSIGNEE_REQUIRED', message: `Assign ${ticket.id} before solving it.` });
  }
  return saveTicket(context, changeStatus(context, ticket, status));
}

/** The ticket in its new status, not yet saved. The caller has made sure that the move is legal. */
export function changeStatus(context: Context, ticket: Ticket, to: Status): Ticket {
  const nowUs = context.clock.nowUs();
  context.events.emit('ticket.status-changed', { ticketId: ticket.id, from: ticket.status, to });
  const moved = { ...ticket, status: to };
  if (to === 'closed') return { ...moved, closedAtUs: nowUs };
  if (to === 'solved') {
    context.events.scheduleAt('ticket.close-due', { ticketId: ticket.id, solvedAtUs: nowUs }, nowUs + closeAfterUs);
    return { ...moved, solvedAtUs: nowUs, sla: meetResolution(context, ticket) };
  }
  return ticket.status === 'solved' ? { ...moved, solvedAtUs: null, sla: restartResolution(context, ticket) } : moved;
}

/** Handles `ticket.close-due`: a ticket that was reopened, or solved again, is left alone. */
export function closeSolved(due: DeskTypes['events']['ticket.close-due'], context: Context): void {
  const ticket = context.state.get('tickets', due.ticketId);
  if (ticket?.status !== 'solved' || ticket.solvedAtUs !== due.solvedAtUs) return;
  saveTicket(context, changeStatus(context, ticket, 'closed'));
}
