// Ticket search: every filter must match; sorted, counted and paged.
import { type Context, type Page, type Priority, priorities, type Status, type Ticket } from './model.js';
import { pageOf, sortBy } from './paging.js';
import { eachRow } from './rows.js';
import { isBreached } from './sla.js';
import { containsWords } from './words.js';

interface Query {
  readonly text?: string;
  readonly status?: readonly Status[];
  readonly priority?: readonly Priority[];
  readonly assigneeId?: string | null;
  readonly groupId?: string | null;
  readonly requesterId?: string;
  readonly tags?: readonly string[];
  readonly slaBreached?: boolean;
  readonly createdFromUs?: number;
  readonly createdUntilUs?: number;
  readonly sortBy?: 'created' | 'updated' | 'priority';
  readonly order?: 'asc' | 'desc';
  readonly limit?: number;
  readonly cursor?: string;
}

const sortKeys = {
  created: (ticket: Ticket) => ticket.createdAtUs,
  updated: (ticket: Ticket) => ticket.updatedAtUs,
  priority: (ticket: Ticket) => priorities.indexOf(ticket.priority),
};

export function searchTickets(query: Query, context: Context): Page<Ticket> & { total: number } {
  const found: Ticket[] = [];
  for (const ticket of eachRow(context, 'tickets')) {
    if (matchesFilters(ticket, query) && matchesText(context, ticket, query.text)) found.push(ticket);
  }
  const list = { idOf: (ticket: Ticket) => ticket.id, keyOf: sortKeys[query.sortBy ?? 'created'], order: query.order ?? 'desc' };
  const { limit, cursor, ...filters } = query;
  const scope = `tickets ${JSON.stringify(filters)}`;
  return { ...pageOf(context, { ...list, items: sortBy(found, list), scope, limit, cursor }), total: found.length };
}

function matchesFilters(ticket: Ticket, query: Query): boolean {
  const {
    status,
    priority,
    assigneeId,
    groupId,
    requesterId,
    tags = [],
    slaBreached,
    createdFromUs = -Infinity,
    createdUntilUs = Infinity,
  } = query;
  return (
    (status === undefined || status.includes(ticket.status)) &&
    (priority === undefined || priority.includes(ticket.priority)) &&
    (assigneeId === undefined || assigneeId === ticket.assigneeId) &&
    (groupId === undefined || groupId === ticket.groupId) &&
    (requesterId === undefined || requesterId === ticket.requesterId) &&
    (slaBreached === undefined || slaBreached === isBreached(ticket)) &&
    tags.every((tag) => ticket.tags.includes(tag)) &&
    ticket.createdAtUs >= createdFromUs &&
    ticket.createdAtUs < createdUntilUs
  );
}

function matchesText(context: Context, ticket: Ticket, text: string | undefined): boolean {
  if (text === undefined) return true;
  const requester = context.state.get('requesters', ticket.requesterId);
  return containsWords(text, [
    ticket.id,
    ticket.subject,
    ticket.description,
    ...ticket.tags,
    requester?.name ?? '',
    requester?.email ?? '',
  ]);
}
