// Reading rows: one that must exist, all of a namespace, and the next id of a kind.
import type { Frozen } from 'drillyard/tool-sdk';
import type { Context, DeskTypes, Ticket } from './model.js';

type Rows = DeskTypes['state'];
type Namespace = keyof Rows;

const scanPageRows = 1000;
const firstTicketNumber = 1001;

/** The row, or the call ends with `code`. */
export function requireRow<N extends Namespace>(context: Context, namespace: N, rowId: string, code: string): Frozen<Rows[N]> {
  return context.state.get(namespace, rowId) ?? context.fail({ code, message: `There is no ${rowId}.` });
}

export function requireTicket(context: Context, ticketId: string): Ticket {
  return requireRow(context, 'tickets', ticketId, 'TICKET_NOT_FOUND');
}

/** The ticket as somebody may change it: not closed, and unchanged since it was read. */
export function requireChangeable(context: Context, input: { readonly ticketId: string; readonly expectedVersion?: number }): Ticket {
  const ticket = requireTicket(context, input.ticketId);
  if (ticket.status === 'closed') {
    return context.fail({ code: 'TICKET_CLOSED', message: `${ticket.id} is closed. Open a new ticket instead.` });
  }
  if (input.expectedVersion !== undefined && input.expectedVersion !== ticket.version) {
    return context.fail({
      code: 'VERSION_CONFLICT',
      message: `${ticket.id} is at version ${ticket.version}, not ${input.expectedVersion}.`,
      details: { version: ticket.version },
    });
  }
  return ticket;
}

/** Stores a changed ticket one version on. */
export function saveTicket(context: Context, ticket: Ticket): Ticket {
  const saved = { ...ticket, version: ticket.version + 1, updatedAtUs: context.clock.nowUs() };
  context.state.put('tickets', saved.id, saved);
  return saved;
}

/** Every row of a namespace whose id begins with `prefix`, in the order of ids. */
export function* eachRow<N extends Namespace>(context: Context, namespace: N, prefix = ''): Generator<Frozen<Rows[N]>> {
  let afterRowId = prefix;
  for (;;) {
    const page = context.state.scan(namespace, { limit: scanPageRows, ...(afterRowId === '' ? {} : { afterRowId }) });
    for (const row of page) {
      if (!row.rowId.startsWith(prefix)) return;
      yield row.value;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < scanPageRows) return;
    afterRowId = last.rowId;
  }
}

export function nextTicketId(context: Context): string {
  return nextId(context, 'tickets', firstTicketNumber, (number) => `TKT-${number}`);
}
export function nextEscalationId(context: Context): string {
  return nextId(context, 'escalations', 1, (number) => `ESC-${padded(number)}`);
}
export function nextRequesterId(context: Context): string {
  return nextId(context, 'requesters', 1, (number) => `req_${padded(number)}`);
}
export function commentId(ticketId: string, number: number): string {
  return `${ticketId}-C${padded(number)}`;
}

// A scenario may bring rows of its own, so a number that is taken is passed over.
function nextId(
  context: Context,
  namespace: 'tickets' | 'escalations' | 'requesters',
  first: number,
  idOf: (number: number) => string,
): string {
  let number = context.state.get('counters', namespace)?.next ?? first;
  while (context.state.get(namespace, idOf(number)) !== undefined) number += 1;
  context.state.put('counters', namespace, { next: number + 1 });
  return idOf(number);
}

const padded = (number: number): string => String(number).padStart(4, '0');
