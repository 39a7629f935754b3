// node-zendesk, unchanged, against the desk of the library: tickets from the first word to the solution, pages, refusals, faults.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import zendesk from 'node-zendesk';
import fc from '../fast-check.js';
import { engines } from '../http/fake-control.js';
import { type ServedWorld, serveWorld } from './served-world.js';

// biome-ignore lint/suspicious/noExplicitAny: the client's types say of many answers that they are objects
type Any = any;

function clientOf({ url, token }: Pick<ServedWorld, 'url' | 'token'>, options: object = {}): Any {
  return zendesk.createClient({
    ...{ username: 'ines@desk.example', token, endpointUri: `${url}/api/v2`, throwOriginalException: true },
    ...options,
  } as never);
}
async function serve(context: TestContext, scenarioId?: string) {
  const world = await serveWorld(context, { packageId: 'ticket-desk', ...(scenarioId === undefined ? {} : { scenarioId }) });
  return { ...world, client: clientOf(world) };
}
const send = ({ url, token }: ServedWorld, path: string, options: RequestInit = {}) =>
  fetch(url + path, { ...options, headers: { authorization: `Basic ${btoa(`ines@desk.example/token:${token}`)}` } });

/** As the client hands it on. */
const refusal = (status: number, error: string, attribute?: string) => (thrown: unknown) => {
  const { statusCode, result } = thrown as { statusCode: number; result: { error: string; details?: object } };
  assert.deepEqual(
    [statusCode, result.error, Object.keys(result.details ?? {})],
    [status, error, attribute === undefined ? [] : [attribute]],
  );
  return true;
};

for (const engine of engines) {
  test(`${engine}: the client works on a ticket, and is refused in Zendesk's words`, async (context) => {
    const world = await serveWorld(context, { packageId: 'ticket-desk', engine });
    const { tickets, users, search } = clientOf(world);
    const { result: me } = await users.me();
    const ticket = { comment: { body: 'No sound.\nNone.' }, requester: { email: 'zoe@mail.example' } };
    const { result: made } = await tickets.create({ ticket });
    assert.deepEqual([made.subject, made.status], ['No sound.', 'new']);
    const invalid = (attribute: string) => refusal(422, 'RecordInvalid', attribute);
    await assert.rejects(tickets.update(made.id, { ticket: { status: 'solved' } }), invalid('assignee'));
    const solving = { status: 'solved', assignee_id: me.id, comment: { body: 'Replaced.' } };
    const { result: solved } = await tickets.update(made.id, { ticket: solving });
    assert.deepEqual([solved.status, (await tickets.getComments(made.id)).length], ['solved', 2]);
    await assert.rejects(tickets.show(7), refusal(404, 'RecordNotFound'));
    await assert.rejects(tickets.update(105, { ticket: { subject: 'x' } }), invalid('status'));
    await assert.rejects(tickets.create({ ticket: { comment: { body: 'x' } } }), invalid('requester'));
    await assert.rejects(tickets.create({ ticket: { ...ticket, due_at: '2026-03-03T00:00:00Z' } }), invalid('base'));
    await assert.rejects(users.create({ user: { name: 'Zoe', email: 'ZOE@mail.example' } }), invalid('email'));
    await assert.rejects(search.query('color:red'), refusal(422, 'invalid'));
    await assert.rejects(tickets.delete(made.id), refusal(404, 'InvalidEndpoint'));
    await assert.rejects(clientOf({ ...world, token: 'wrong' }).users.me(), refusal(401, "Couldn't authenticate you"));
    await assert.rejects(clientOf(world, { asUser: 'rosa@desk.example' }).users.me(), invalid('base'));
    // As a token of OAuth.
    await clientOf(world, { oauth: true }).users.me();
    await assert.rejects(clientOf({ ...world, token: 'wrong' }, { oauth: true }).users.me(), refusal(401, "Couldn't authenticate you"));
    const own = await fetch(`${world.url}/desk/v1/nothing`, { headers: { authorization: `Bearer ${world.token}` } });
    assert.equal(((await own.json()) as { code: string }).code, 'control.ROUTE_NOT_FOUND', 'what is not of Zendesk is refused as ever');
    const asked = await send(world, '/api/v2/tickets/recent.json');
    assert.deepEqual([asked.status, asked.headers.get('x-drillyard-unsupported')], [422, '1']);
  });
}

test('arguments that do not fit are refused in words of Zendesk, which say nothing of a simulation', async (context) => {
  const { client: _, ...world } = await serve(context);
  const json = (await (await send(world, '/api/v2/tickets.json?page=none')).json()) as Any;
  assert.equal(json.error.message, 'You passed an invalid value for the page attribute. Invalid parameter: page must be an integer');
  const headers = { authorization: `Basic ${btoa(`ines@desk.example/token:${world.token}`)}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ ticket: { comment: { body: 'x' }, requester_id: 230167634400353, status: 'hold' } });
  const refused = (await (await fetch(`${world.url}/api/v2/tickets`, { method: 'POST', headers, body })).json()) as Any;
  assert.deepEqual(refused.details.base, [{ description: 'Status: is not included in the list', error: 'InvalidValue' }]);
});

test('each path is there without .json too, as the reference writes it', async (context) => {
  const { client: _, ...world } = await serve(context);
  for (const path of ['tickets', 'tickets/101', 'tickets/101/comments', 'users/me', 'groups', 'search?query=type:ticket']) {
    const [name, query] = path.split('?');
    const [bare, named] = await Promise.all(
      [path, `${name}.json${query === undefined ? '' : `?${query}`}`].map((one) => send(world, `/api/v2/${one}`)),
    );
    assert.deepEqual([bare?.status, await bare?.json()], [200, await named?.json()], path);
    const headers = { authorization: `Bearer ${world.token}` };
    assert.equal((await fetch(`${world.url}/api/v2/${path}`, { headers })).status, 200, `${path}, as a token of OAuth`);
  }
  const recent = await send(world, '/api/v2/tickets/recent');
  assert.deepEqual([recent.status, recent.headers.get('x-drillyard-unsupported')], [422, '1']);
});

test('without its option for it the client says of a refusal what was wrong in a word', async (context) => {
  const world = await serve(context);
  await assert.rejects(clientOf(world, { throwOriginalException: false }).tickets.show(7), /Zendesk Error \(404\): Item not found/);
});

test('of two who change a ticket at once the second sees the conflict, and reads again', async (context) => {
  const { client, advance } = await serve(context);
  const { result: read } = await client.tickets.show(101);
  await advance(1_000_000);
  await client.tickets.update(101, { ticket: { priority: 'high' } });
  const safe = (stamp: string) => ({ ticket: { safe_update: true, updated_stamp: stamp, tags: ['mine'] } });
  await assert.rejects(client.tickets.update(101, safe(read.updated_at)), refusal(409, 'UpdateConflict'));
  const { result: again } = await client.tickets.show(101);
  assert.deepEqual([again.tags, again.priority], [['product'], 'high']);
  assert.deepEqual((await client.tickets.update(101, safe(again.updated_at))).result.tags, ['mine']);
});

test('lists are walked to their end by either way, each ticket once, whatever the size of a page', async (context) => {
  const world = await serve(context);
  const { client } = world;
  for (let number = 0; number < 8; number += 1)
    await client.tickets.create({ ticket: { subject: `${number}`, comment: { body: 'x' }, requester: { email: 'zoe@mail.example' } } });
  const all = (await client.tickets.list()).map(({ id }: Any) => id);
  assert.equal(all.length, 13);
  const walk = async (first: string, nextOf: (page: Any) => string | null): Promise<number[]> => {
    const ids: number[] = [];
    let next: string | null = `${world.url}${first}`;
    while (next !== null) {
      const page: Any = await (await send(world, next.slice(world.url.length))).json();
      ids.push(...page.tickets.map(({ id }: Any) => id));
      next = nextOf(page);
    }
    return ids;
  };
  for (const size of [1, 5, 13, 100]) {
    assert.deepEqual(await walk(`/api/v2/tickets.json?page[size]=${size}`, ({ links }) => links.next), all);
    assert.deepEqual(await walk(`/api/v2/tickets.json?per_page=${size}`, ({ next_page }) => next_page), all);
    const changes = `/api/v2/incremental/tickets.json?start_time=0&per_page=${size}`;
    const exported = await walk(changes, ({ end_of_stream, next_page }) => (end_of_stream ? null : next_page));
    assert.deepEqual(
      exported.sort((a, b) => a - b),
      all,
    );
  }
});

test('after 429 the client has an error for an answer, and asks again itself', async (context) => {
  const { client } = await serve(context, 'rate-limited');
  const edit = () => client.tickets.update(101, { ticket: { subject: 'Crackles' } });
  // It gives it as the result, and throws nothing.
  const { result, response } = await edit();
  assert.deepEqual([result.statusCode, result.result.error, response.headers.get('retry-after')], [429, 'APIRateLimitExceeded', '1']);
  await edit();
  assert.equal((await edit()).result.subject, 'Crackles');
});

test('a ticket whose answer was lost is there once for who sends the same key again', async (context) => {
  const world = await serve(context, 'answers-lost');
  const options = { customHeaders: { 'Idempotency-Key': 'once' } };
  const client = clientOf(world, options);
  const ticket = { subject: 'Lost', comment: { body: 'x' }, requester: { email: 'zoe@mail.example' } };
  // The client takes 504 for an answer.
  assert.equal((await client.tickets.create({ ticket })).result.error, 'GatewayTimeout');
  const { result } = await client.tickets.create({ ticket });
  assert.equal(result.subject, 'Lost');
  assert.deepEqual(
    (await world.client.search.query('subject:lost')).result.map(({ id }: Any) => id),
    [result.id],
  );
});

test('any text is a query or is refused, and what is found can be read', async (context) => {
  const { client, local } = await serve(context);
  const word = fc.constantFrom(
    'status:open',
    'status<solved',
    'created>2026-03-01',
    'type:',
    'a:b',
    '-',
    '"',
    'tags:',
    'assignee:none',
    'mara',
    '<',
    ':',
  );
  const query = fc.oneof(
    fc.string({ maxLength: 40, unit: 'binary' }),
    fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
  );
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const { outcome } = await local.call({
        ...{ actorId: 'operator', packageId: 'ticket-desk', operationId: 'desk.search', arguments: { query: asked } },
      });
      if (outcome.kind !== 'ok') assert.equal(outcome.error.code, 'QUERY_INVALID', JSON.stringify([asked, outcome]));
    }),
    { numRuns: 300 },
  );
  for (const { result_type, id } of await client.search.queryAll(''))
    if (result_type === 'user') assert.equal((await client.users.show(id)).result.id, id);
});
