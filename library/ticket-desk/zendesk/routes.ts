// Zendesk's Ticketing API, version 2, below /api/v2: how its requests become calls, and the outcomes what its clients read.
import type { EncodeInput, HttpRequest, JsonValue, ToolBehavior } from 'drillyard/tool-sdk';
import type { Hit } from '../desk/everything.js';
import type { GroupRow, Requester, Ticket } from '../desk/model.js';
import { ticketIdOf } from '../desk/numbers.js';
import { type Person, personOfRequester } from '../desk/people.js';
import { replyWith } from './errors.js';
import { invalid, unsupported } from './failures.js';
import { type Part, pageNames, pageOf, sliceIn, urlWith } from './paging.js';
import { asked, bodyIn, newTicketIn, numberIn, numbersIn, recordIn, single, tagsIn, ticketEditIn } from './request.js';
import { zendeskComment, zendeskGroup, zendeskTicket, zendeskUser } from './shown.js';

type Routes = NonNullable<ToolBehavior['http']>;

const shownTicket = (ticket: Ticket, { baseUrl }: EncodeInput): JsonValue => zendeskTicket(ticket, baseUrl);
const shownUser = (person: Person, { baseUrl }: EncodeInput): JsonValue => zendeskUser(person, baseUrl);
const ticketId = (request: HttpRequest): string => ticketIdOf(idIn(request));
const oneTicket = (ticket: Ticket, input: EncodeInput): JsonValue => ({ ticket: shownTicket(ticket, input) });
const tags = replyWith((ticket: Ticket) => ({ tags: ticket.tags }));
const person = { looksFor: ['PERSON_NOT_FOUND'] };

/** What stands there and is no number is something else of Zendesk's, such as `tickets/recent.json`. */
function idIn({ path, pathname }: HttpRequest): string {
  const { id = '' } = path;
  if (!/^\d{1,15}$/.test(id)) throw unsupported(pathname);
  return id;
}

const ticketRoutes: Routes = {
  'zendesk.tickets.list': {
    decode: (request) => asked(request, pageNames, sliceIn(request.query)),
    encode: replyWith(pageOf('tickets', shownTicket)),
  },
  'zendesk.tickets.create': {
    decode: (request) => asked(request, [], newTicketIn(recordIn(request, 'ticket'))),
    encode: replyWith(oneTicket, {
      headers: (ticket: Ticket, { baseUrl }) => ({ location: String(zendeskTicket(ticket, baseUrl).url) }),
    }),
  },
  'zendesk.tickets.show': { decode: (request) => asked(request, [], { ticketId: ticketId(request) }), encode: replyWith(oneTicket) },
  'zendesk.tickets.update': {
    decode: (request) => asked(request, [], { ticketId: ticketId(request), ...ticketEditIn(recordIn(request, 'ticket')) }),
    encode: replyWith(oneTicket),
  },
  'zendesk.tickets.showMany': {
    decode: (request) => asked(request, [...pageNames, 'ids'], { numbers: numbersIn(single(request, 'ids')), ...sliceIn(request.query) }),
    encode: replyWith(pageOf('tickets', shownTicket)),
  },
  'zendesk.tickets.comments': {
    decode: (request) => {
      const order = single(request, 'sort_order') ?? 'asc';
      if (order !== 'asc' && order !== 'desc') throw invalid('sort_order is asc or desc.');
      return asked(request, [...pageNames, 'sort_order'], {
        ticketId: ticketId(request),
        newestFirst: order === 'desc',
        ...sliceIn(request.query),
      });
    },
    encode: replyWith(pageOf('comments', zendeskComment)),
  },
  'zendesk.tickets.tags.add': {
    decode: (request) => asked(request, [], { ticketId: ticketId(request), addTags: tagsIn(bodyIn(request).tags) }),
    encode: tags,
  },
  'zendesk.tickets.tags.set': {
    decode: (request) => asked(request, [], { ticketId: ticketId(request), tags: tagsIn(bodyIn(request).tags) ?? null }),
    encode: tags,
  },
  'zendesk.tickets.requested': ticketsOf('requesterNumber'),
  'zendesk.tickets.assigned': ticketsOf('assigneeNumber'),
  'zendesk.tickets.incremental': {
    decode: (request) => {
      const start = numberIn(single(request, 'start_time'));
      const changedFromUs = typeof start === 'number' ? start * 1_000_000 : (start ?? null);
      return asked(request, ['start_time', 'page', 'per_page'], { changedFromUs, order: 'change', ...sliceIn(request.query) });
    },
    encode: replyWith(changes),
  },
};

function ticketsOf(member: 'requesterNumber' | 'assigneeNumber'): Routes[string] {
  return {
    decode: (request) => asked(request, pageNames, { [member]: Number(idIn(request)), ...sliceIn(request.query) }),
    encode: replyWith(pageOf('tickets', shownTicket), person),
  };
}

/** An export goes by time: the next part begins where this one ended, and is the same request with another page. */
function changes(part: Part<Ticket>, input: EncodeInput): JsonValue {
  const { tickets, next_page } = pageOf('tickets', shownTicket)(part, input) as { tickets: JsonValue; next_page: string | null };
  const last = part.items.at(-1);
  const end = last === undefined ? Number(input.request.query.start_time?.[0] ?? 0) : Math.floor(last.updatedAtUs / 1_000_000);
  const again = urlWith(input, { start_time: String(end), page: '1' });
  return { tickets, count: part.items.length, end_time: end, end_of_stream: next_page === null, next_page: next_page ?? again };
}

const roles = ['end-user', 'agent', 'admin'];

function people(request: HttpRequest, args: { readonly [name: string]: JsonValue | undefined }, known: readonly string[] = []) {
  const wanted = [...(request.query.role ?? []), ...(request.query['role[]'] ?? [])];
  for (const role of wanted) if (!roles.includes(role)) throw invalid(`There is no role ${role}.`);
  const named = wanted.length === 0 ? {} : { roles: [...new Set(wanted)] };
  return asked(request, [...pageNames, 'role', 'role[]', ...known], { ...args, ...named, ...sliceIn(request.query) });
}

const userRoutes: Routes = {
  'zendesk.users.list': { decode: (request) => people(request, {}), encode: replyWith(pageOf('users', shownUser)) },
  'zendesk.users.me': {
    decode: (request) => asked(request, [], {}),
    encode: replyWith((value: Person, input) => ({ user: shownUser(value, input) })),
  },
  'zendesk.users.show': {
    decode: (request) => asked(request, [], { number: Number(idIn(request)) }),
    encode: replyWith((value: Person, input) => ({ user: shownUser(value, input) }), person),
  },
  'zendesk.users.showMany': {
    decode: (request) => people(request, { numbers: numbersIn(single(request, 'ids')) }, ['ids']),
    encode: replyWith(pageOf('users', shownUser)),
  },
  'zendesk.users.search': {
    decode: (request) => people(request, { text: single(request, 'query') ?? null }, ['query']),
    encode: replyWith(pageOf('users', shownUser)),
  },
  'zendesk.users.create': {
    decode: (request) => {
      const { name, email, role = 'end-user' } = recordIn(request, 'user');
      if (role !== 'end-user') throw unsupported('Adding agents');
      return asked(request, [], { name, email });
    },
    encode: replyWith((row: Requester, input) => ({ user: shownUser(personOfRequester(row), input) })),
  },
  'zendesk.users.ofGroup': {
    decode: (request) => people(request, { groupNumber: Number(idIn(request)) }),
    encode: replyWith(pageOf('users', shownUser), { looksFor: ['GROUP_NOT_FOUND'] }),
  },
  'zendesk.groups.list': {
    decode: (request) => {
      const slice = sliceIn(request.query);
      if (typeof slice.limit !== 'number' || typeof slice.offset !== 'number') throw invalid('The page is no number.');
      return asked(request, pageNames, {});
    },
    // A desk has few groups, so they come whole, and are cut here.
    encode: replyWith(({ items }: { items: readonly GroupRow[] }, input) => {
      const { offset, limit } = sliceIn(input.request.query) as { offset: number; limit: number };
      const part = { items: items.slice(offset, offset + limit), total: items.length };
      return pageOf('groups', (group: GroupRow, { baseUrl }) => zendeskGroup(group, baseUrl))(part, input);
    }),
  },
};

const sorts: { readonly [name: string]: string | undefined } = {
  created_at: 'created',
  updated_at: 'updated',
  priority: 'priority',
  status: 'status',
  relevance: undefined,
};

const searchRoutes: Routes = {
  'zendesk.search': {
    decode: (request) => {
      const sort = single(request, 'sort_by') ?? 'relevance';
      if (!Object.hasOwn(sorts, sort)) throw unsupported(`Sorting by ${sort}`);
      const order = single(request, 'sort_order');
      const args = { query: single(request, 'query') ?? null, sortBy: sorts[sort], order, ...sliceIn(request.query) };
      return asked(request, ['query', 'sort_by', 'sort_order', 'page', 'per_page'], args);
    },
    encode: replyWith((part: Part<Hit>, input) => ({ ...pageOf('results', shownHit)(part, input), facets: null })),
  },
  'zendesk.search.count': {
    decode: (request) => asked(request, ['query'], { query: single(request, 'query') ?? null, limit: 1 }),
    encode: replyWith(({ total }: Part<Hit>) => ({ count: total })),
  },
};

function shownHit(hit: Hit, { baseUrl }: EncodeInput): JsonValue {
  if (hit.kind === 'ticket') return { ...zendeskTicket(hit.ticket, baseUrl), result_type: 'ticket' };
  if (hit.kind === 'person') return { ...zendeskUser(hit.person, baseUrl), result_type: 'user' };
  return { ...zendeskGroup(hit.group, baseUrl), result_type: 'group' };
}

const routes: Routes = { ...ticketRoutes, ...userRoutes, ...searchRoutes };

/** Each path is there without `.json` too, as Zendesk's reference has it. */
const bareRoutes = [
  'zendesk.tickets.list.bare',
  'zendesk.tickets.create.bare',
  'zendesk.tickets.showMany.bare',
  'zendesk.tickets.show.bare',
  'zendesk.tickets.update.bare',
  'zendesk.tickets.comments.bare',
  'zendesk.tickets.tags.add.bare',
  'zendesk.tickets.tags.set.bare',
  'zendesk.tickets.requested.bare',
  'zendesk.tickets.assigned.bare',
  'zendesk.tickets.incremental.bare',
  'zendesk.users.list.bare',
  'zendesk.users.create.bare',
  'zendesk.users.me.bare',
  'zendesk.users.showMany.bare',
  'zendesk.users.search.bare',
  'zendesk.users.show.bare',
  'zendesk.users.ofGroup.bare',
  'zendesk.groups.list.bare',
  'zendesk.search.bare',
  'zendesk.search.count.bare',
];

export const zendeskRoutes: Routes = {
  ...routes,
  ...Object.fromEntries(bareRoutes.map((id) => [id, routes[id.slice(0, -'.bare'.length)] as Routes[string]])),
};
