// Tickets in the order of their numbers or changes, and what was said about one, the description first.
import type { Author, Comment, Context, Ticket, Visibility } from './model.js';
import { commentNumber, findPerson, numberOf, ticketNumber } from './numbers.js';
import { eachRow, requireTicket } from './rows.js';
import { type Slice, sliceOf } from './slices.js';

interface TicketsQuery extends Slice {
  readonly numbers?: readonly number[];
  readonly requesterNumber?: number;
  readonly assigneeNumber?: number;
  readonly changedFromUs?: number;
  readonly order?: 'number' | 'change';
}
interface Said {
  number: number;
  author: Author;
  visibility: Visibility;
  body: string;
  createdAtUs: number;
}

export function listTickets(query: TicketsQuery, context: Context): { items: Ticket[]; total: number } {
  const { numbers, requesterNumber, assigneeNumber, changedFromUs = -Infinity, order = 'number' } = query;
  for (const number of [requesterNumber, assigneeNumber])
    if (number !== undefined && findPerson(context, number) === undefined)
      context.fail({ code: 'PERSON_NOT_FOUND', message: `Nobody has the number ${number}.` });
  const found = [...eachRow(context, 'tickets')].filter(
    ({ id, requesterId, assigneeId, updatedAtUs }) =>
      (numbers === undefined || numbers.includes(ticketNumber(id))) &&
      (requesterNumber === undefined || numberOf(requesterId) === requesterNumber) &&
      (assigneeNumber === undefined || (assigneeId !== null && numberOf(assigneeId) === assigneeNumber)) &&
      updatedAtUs >= changedFromUs,
  );
  const byNumber = (a: Ticket, b: Ticket): number => ticketNumber(a.id) - ticketNumber(b.id);
  found.sort((a, b) => (order === 'change' ? a.updatedAtUs - b.updatedAtUs : 0) || byNumber(a, b));
  return sliceOf(found, query);
}

export function getConversation(
  { ticketId, newestFirst = false, ...slice }: Slice & { readonly ticketId: string; readonly newestFirst?: boolean },
  context: Context,
): { items: Said[]; total: number } {
  const ticket = requireTicket(context, ticketId);
  const comments = [...eachRow(context, 'comments', `${ticketId}-C`)].sort((a, b) => a.number - b.number).map(saidOf);
  const all = [firstOf(context, ticket), ...comments];
  return sliceOf(newestFirst ? all.reverse() : all, slice);
}

const saidOf = ({ ticketId, number, author, visibility, body, createdAtUs }: Comment): Said => {
  return { number: commentNumber(ticketId, number), author, visibility, body, createdAtUs };
};

function firstOf({ state }: Context, { id, requesterId, description, createdAtUs }: Ticket): Said {
  const author = { kind: 'requester', id: requesterId, name: state.get('requesters', requesterId)?.name ?? requesterId } as const;
  return { number: commentNumber(id, 0), author, visibility: 'public', body: description, createdAtUs };
}
