// What a response has to be, by the client's own types of records. They know no null, and Zendesk writes null for what a record has not: a
// member that the type calls optional may be null here. Two members that it calls required are null for people who have not signed in and
// have no such role. What lies around the records is not in those types, and is written down here.
import { type RecordedExchange, typeChecker } from 'drillyard/compat';

const named = (file: string, name: string): string => `import('node-zendesk/clients/core/${file}').${name}`;
const nullable = (type: string): string => `{ [K in keyof ${type}]: undefined extends ${type}[K] ? ${type}[K] | null : ${type}[K] }`;

/** Optional in the type, and of every ticket. */
const always = '{ status: string; subject: string; priority: string; tags: string[]; assignee_id: number | null; group_id: number | null }';
const ticket = `(${nullable(named('tickets', 'Ticket'))}) & ${always}`;
const comment = nullable(named('tickets', 'TicketComment'));
const user = `(${nullable(`Omit<${named('users', 'User')}, 'last_login_at' | 'role_type'>`)}) & { last_login_at: string | null; role_type: number | null; role: 'end-user' | 'agent' | 'admin' }`;
const group = nullable(named('groups', 'Group'));

const byNumber = '{ next_page: string | null; previous_page: string | null; count: number }';
const byCursor =
  '{ meta: { has_more: boolean; after_cursor: string | null; before_cursor: string | null }; links: { next: string | null; prev: string | null } }';
const list = (name: string, item: string): string => `{ ${name}: (${item})[] } & (${byNumber} | ${byCursor})`;
const hit = `((${ticket}) & { result_type: 'ticket' }) | ((${user}) & { result_type: 'user' }) | ((${group}) & { result_type: 'group' })`;

const check = typeChecker({
  from: import.meta.url,
  types: {
    'zendesk.tickets.list': list('tickets', ticket),
    'zendesk.tickets.create': `{ ticket: ${ticket} }`,
    'zendesk.tickets.show': `{ ticket: ${ticket} }`,
    'zendesk.tickets.update': `{ ticket: ${ticket} }`,
    'zendesk.tickets.showMany': list('tickets', ticket),
    'zendesk.tickets.comments': list('comments', comment),
    'zendesk.tickets.tags.add': '{ tags: string[] }',
    'zendesk.tickets.tags.set': '{ tags: string[] }',
    'zendesk.tickets.requested': list('tickets', ticket),
    'zendesk.tickets.assigned': list('tickets', ticket),
    'zendesk.tickets.incremental': `{ tickets: (${ticket})[]; count: number; end_time: number; end_of_stream: boolean; next_page: string }`,
    'zendesk.users.list': list('users', user),
    'zendesk.users.create': `{ user: ${user} }`,
    'zendesk.users.me': `{ user: ${user} }`,
    'zendesk.users.showMany': list('users', user),
    'zendesk.users.search': list('users', user),
    'zendesk.users.show': `{ user: ${user} }`,
    'zendesk.users.ofGroup': list('users', user),
    'zendesk.groups.list': list('groups', group),
    'zendesk.search': `{ results: (${hit})[]; facets: null } & ${byNumber}`,
    'zendesk.search.count': '{ count: number }',
  },
  errors: `{ error: string; description?: string; details?: { [attribute: string]: { description: string; error: string }[] } }
    | { error: { title: string; message: string } }`,
});

/** Types are by route, with `.json` or without: several functions of the client share one request, and the first of them stands for it. */
export function checkResponse({ operation: _, routeId, ...exchange }: RecordedExchange): string[] {
  const found = check(routeId === undefined ? exchange : { ...exchange, routeId: routeId.replace(/[.]bare$/, '') });
  const { status, headers, body } = exchange;
  if (status === 429 && !/^\d+$/.test(headers['retry-after'] ?? '')) found.push('429 without Retry-After');
  if (status < 400) return found;
  const { error } = JSON.parse(body) as { error?: unknown };
  const names: { readonly [status: number]: string } = { 409: 'UpdateConflict', 429: 'APIRateLimitExceeded' };
  const wanted = names[status];
  return wanted === undefined || error === wanted ? found : [...found, `${status} is called ${JSON.stringify(error)}`];
}
