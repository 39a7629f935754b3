// One search over tickets, people and groups.
import type { Context, GroupRow, Ticket } from './model.js';
import { priorities } from './model.js';
import { ticketNumber } from './numbers.js';
import { allPeople, getSelf, type Person } from './people.js';
import { compileQuery, type Directory, QueryProblem, type Searched } from './query.js';
import { eachRow } from './rows.js';
import { type Slice, sliceOf } from './slices.js';

interface EverythingQuery extends Slice {
  readonly query: string;
  readonly sortBy?: 'created' | 'updated' | 'priority' | 'status';
  readonly order?: 'asc' | 'desc';
}
export type Hit =
  | { readonly kind: 'ticket'; readonly ticket: Ticket }
  | { readonly kind: 'person'; readonly person: Person }
  | { readonly kind: 'group'; readonly group: Readonly<GroupRow> };

const statusOrder = ['new', 'open', 'pending', 'solved', 'closed'];
const sortKeys = {
  created: (ticket: Ticket) => ticket.createdAtUs,
  updated: (ticket: Ticket) => ticket.updatedAtUs,
  priority: (ticket: Ticket) => priorities.indexOf(ticket.priority),
  status: (ticket: Ticket) => statusOrder.indexOf(ticket.status),
};

/** Tickets first, the newest of them first unless something else is asked for; then people and groups in the order of their ids. */
export function searchEverything(input: EverythingQuery, context: Context): { items: Hit[]; total: number } {
  const people = allPeople(context);
  const groups = [...eachRow(context, 'groups')];
  const byId = new Map(people.map((person) => [person.id, person]));
  const directory: Directory = {
    nowUs: context.clock.nowUs(),
    self: getSelf({}, context),
    personOf: (id) => byId.get(id),
    groupOf: (id) => groups.find((group) => group.id === id),
  };
  const tickets = [...eachRow(context, 'tickets')];
  const keyOf = sortKeys[input.sortBy ?? 'created'];
  const direction = input.order === 'asc' ? 1 : -1;
  tickets.sort((a, b) => direction * (keyOf(a) - keyOf(b) || ticketNumber(a.id) - ticketNumber(b.id)));
  const hits: Hit[] = [
    ...tickets.map((ticket): Hit => ({ kind: 'ticket', ticket })),
    ...people.map((person): Hit => ({ kind: 'person', person })),
    ...groups.map((group): Hit => ({ kind: 'group', group })),
  ];
  try {
    const matches = compileQuery(input.query, directory);
    return sliceOf(
      hits.filter((hit) => matches(searchedOf(hit, byId))),
      input,
    );
  } catch (error) {
    if (!(error instanceof QueryProblem)) throw error;
    return context.fail({ code: 'QUERY_INVALID', message: error.message });
  }
}

function searchedOf(hit: Hit, people: ReadonlyMap<string, Person>): Searched {
  const wordsOf = (texts: readonly (string | null | undefined)[]): string => texts.join('\n').toLowerCase();
  if (hit.kind === 'person') return { person: hit.person, words: wordsOf([hit.person.name, hit.person.email, hit.person.organization]) };
  if (hit.kind === 'group') return { group: hit.group, words: wordsOf([hit.group.name]) };
  const { ticket } = hit;
  const requester = people.get(ticket.requesterId);
  const { id, subject, description, tags } = ticket;
  return { ticket, words: wordsOf([`${ticketNumber(id)}`, subject, description, ...tags, requester?.name, requester?.email]) };
}
