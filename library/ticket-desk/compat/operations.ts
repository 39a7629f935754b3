// Zendesk's requests as the client has them: each of its functions is called with placeholders before a transport that only looks on, so
// the paths come out as templates. The help center, voice and other services have clients and addresses of their own, and are left out.

import type { VendorOperation } from 'drillyard/compat';
import zendesk from 'node-zendesk';

const origin = 'http://zendesk.example';
const placeholders = ['{a}', '{b}', '{c}'] as const;
/** Of a client: not groups of requests. */
const ownOfClient = new Set(['options', 'helpcenter', 'services', 'voice', 'client', 'config']);
const ownOfGroup = /^(?:constructor|get|patch|put|post|getAll|request|requestAll|requestUpload|_.*|emit|on|setSideLoad)$/;

/** One calls itself without an end, one opens a file, and one asks again and again. */
const leftOut = new Set(['views.delete', 'attachments.upload', 'jobstatuses.watch']);
/** Functions that tell an object from text. */
const objects: { readonly [id: string]: readonly unknown[] } = { 'users.search': [{ query: 'a' }] };

type Group = { [name: string]: (...args: unknown[]) => Promise<unknown> };

async function listOperations(): Promise<VendorOperation[]> {
  let seen: { method: string; uri: string } | undefined;
  const transportConfig = {
    transportFn: (uri: string, { method }: { method: string }) => {
      seen ??= { method, uri };
      return new Promise<never>(() => undefined);
    },
    responseAdapter: (response: unknown) => response,
  };
  const options = { username: 'a', token: 'b', endpointUri: `${origin}/api/v2`, transportConfig };
  const client = zendesk.createClient(options as never) as unknown as { [name: string]: Group };
  const found: VendorOperation[] = [];
  for (const name of membersOf(client).filter((member) => !ownOfClient.has(member))) {
    const group = client[name];
    if (typeof group !== 'object' || group === null || !('requestAll' in group)) continue;
    for (const member of membersOf(group)) {
      // What every group inherits is a request of it only where it has a function of that name itself.
      const isInherited = member === 'delete' && !Object.hasOwn(Object.getPrototypeOf(group), 'delete');
      const id = `${name}.${member}`;
      if (ownOfGroup.test(member) || isInherited || leftOut.has(id) || typeof group[member] !== 'function') continue;
      seen = undefined;
      await attempt(group, member, objects[id] ?? placeholders);
      const asked = seen as { method: string; uri: string } | undefined;
      if (asked !== undefined) found.push({ id, method: asked.method, path: pathOf(asked.uri) });
    }
  }
  return found;
}

/** Nothing is ever answered, so a function is left where it waits. Some want other arguments, and throw. */
async function attempt(group: Group, member: string, args: readonly unknown[]): Promise<void> {
  void Promise.resolve()
    .then(() => group[member]?.(...args))
    .catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
}

const pathOf = (uri: string): string => decodeURIComponent(uri.slice(origin.length).replace(/\?.*$/, ''));

/** Its own and those of its classes, in order. */
function membersOf(value: object): string[] {
  const names = new Set<string>();
  for (let at = value; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return [...names].sort();
}

export const operations = await listOperations();

const served = new Set([
  ...[
    'list',
    'create',
    'show',
    'update',
    'showMany',
    'getComments',
    'addTags',
    'updateTags',
    'listByUserRequested',
    'listAssigned',
    'incremental',
  ]
    .concat(['listWithFilter', 'incrementalInclude'])
    .map((name) => `tickets.${name}`),
  ...['list', 'create', 'show', 'me', 'auth', 'showMany', 'search', 'listByGroup', 'listWithFilter'].map((name) => `users.${name}`),
  ...['ticketexport.export', 'ticketexport.exportWithInclude', 'ticketexport.exportWithUser'],
  ...['groups.list', 'search.query', 'search.queryAll', 'search.showResultsCount'],
]);
const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/Many|^jobstatuses|^imports|^ticketimport/, 'a desk has no jobs that run for long'],
  [/^organization/, 'organizations are names here'],
  [/^tickets[.]delete|^suspendedtickets/, 'tickets are not deleted'],
  [/^tickets[.]merge/, 'tickets are not merged'],
  [/^tickets[.]exportAudit|^ticketaudits|^ticketevents|^ticketmetrics|^tickets[.]listMetrics/, 'the evidence of the world has it'],
  [/^users[.]|^useridentities|^sessions/, 'of users a desk has names, addresses and groups, and requesters can be added'],
  [/^groups|^groupmemberships/, 'groups stand in the world, and are listed'],
  [/^tags/, 'tags are those of tickets'],
  [/^attachments|^uploads/, 'a desk has no attachments'],
];

export const unsupported: { [id: string]: string } = Object.fromEntries(
  operations
    .filter(({ id }) => !served.has(id))
    .map(({ id }) => [id, reasons.find(([pattern]) => pattern.test(id))?.[1] ?? 'the desk has nothing like it']),
);
