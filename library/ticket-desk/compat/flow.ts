// node-zendesk as it is, against the world: each request that the package serves, and what the client makes of refusals.
import assert from 'node:assert/strict';
import type { CompatContext } from 'drillyard/compat';
import zendesk from 'node-zendesk';

// biome-ignore lint/suspicious/noExplicitAny: the client's types say of many answers that they are objects
type Any = any;

export async function driveZendesk({ url, token, advance }: CompatContext): Promise<void> {
  const options = {
    ...{ username: 'ines@desk.example', token, endpointUri: `${url}/api/v2`, throwOriginalException: true },
    transportConfig: { transportFn: sendTwice, responseAdapter: (reply: Response) => reply },
  };
  const client = zendesk.createClient(options) as Any;
  const { result: me } = await client.users.me();
  assert.deepEqual([me.name, me.role], ['Ines', 'agent']);
  const ticket = await tickets(client, me.id);
  await advance(60_000_000);
  await conflicts(client, ticket.id);
  await lists(client, ticket, me.id);
  await people(client, ticket.requester_id);
  await search(client, ticket.id);
  await refusals(client);
}

let sent = 0;
/** The client asks with `.json`; each request goes out a second time without, as the same one. */
async function sendTwice(uri: string, { headers, ...rest }: { headers?: object } & RequestInit): Promise<Response> {
  sent += 1;
  const options = { ...rest, headers: { ...headers, 'idempotency-key': `request-${sent}` } } as RequestInit;
  const reply = await fetch(uri, options);
  const bare = await fetch(uri.replace(/[.]json(?=[?]|$)/, ''), options);
  assert.equal(bare.status, reply.status);
  return reply;
}

async function tickets(client: Any, meId: number): Promise<Any> {
  const { result: made } = await client.tickets.create({
    ticket: {
      subject: 'No sound',
      comment: { body: 'The left <speaker> is silent.' },
      requester: { name: 'Zoe Lund', email: 'zoe@mail.example' },
      priority: 'high',
      tags: ['audio', 'left'],
    },
  });
  assert.deepEqual([made.status, made.description, made.assignee_id], ['new', 'The left <speaker> is silent.', null]);
  const { result: answered } = await client.tickets.update(made.id, {
    ticket: { status: 'pending', assignee_id: meId, comment: { body: 'Which one is it?', public: true } },
  });
  assert.deepEqual([answered.status, answered.assignee_id], ['pending', meId]);
  await client.tickets.update(made.id, { ticket: { comment: { body: 'Called twice.', public: false } } });
  const comments = await client.tickets.getComments(made.id);
  assert.deepEqual(
    comments.map((comment: Any) => [comment.body, comment.public, comment.author_id]),
    [
      ['The left <speaker> is silent.', true, made.requester_id],
      ['Which one is it?', true, meId],
      ['Called twice.', false, meId],
    ],
  );
  assert.match(comments[0].html_body, /&lt;speaker&gt;/);
  assert.deepEqual(await client.tickets.addTags(made.id, { tags: ['stereo'] }), [{ tags: ['audio', 'left', 'stereo'] }]);
  assert.deepEqual(await client.tickets.updateTags(made.id, { tags: ['audio', 'right'] }), [{ tags: ['audio', 'right'] }]);
  return (await client.tickets.show(made.id)).result;
}

/** A change by somebody else in between is seen. */
async function conflicts(client: Any, id: number): Promise<void> {
  const { result: read } = await client.tickets.show(id);
  await client.tickets.update(id, { ticket: { priority: 'urgent' } });
  const safe = { safe_update: true, updated_stamp: read.updated_at };
  await assert.rejects(client.tickets.update(id, { ticket: { ...safe, status: 'solved' } }), { statusCode: 409 });
  const { result: again } = await client.tickets.show(id);
  const { result: solved } = await client.tickets.update(id, { ticket: { ...safe, updated_stamp: again.updated_at, status: 'solved' } });
  assert.equal(solved.status, 'solved');
}

async function lists({ tickets: api }: Any, { id, requester_id }: Any, meId: number): Promise<void> {
  const idsOf = (items: Any[]): number[] => items.map((ticket) => ticket.id);
  const all = idsOf(await api.list());
  assert.ok(all.includes(id) && all.length === new Set(all).size);
  assert.deepEqual(idsOf(await api.listByUserRequested(requester_id)), [id]);
  assert.ok(idsOf(await api.listAssigned(meId)).includes(id));
  assert.deepEqual(idsOf((await api.showMany([101, id])).result), [101, id]);
  assert.deepEqual(idsOf((await api.incremental(1772442001))[0].tickets ?? (await api.incremental(1772442001))), [id]);
}

async function people({ users, groups }: Any, requesterId: number): Promise<void> {
  assert.equal((await users.show(requesterId)).result.email, 'zoe@mail.example');
  const { result: made } = await users.create({ user: { name: 'Kim Park', email: 'kim@mail.example' } });
  const all = await users.list();
  assert.ok(all.some(({ id }: Any) => id === made.id));
  assert.deepEqual((await users.showMany([made.id, requesterId])).result.map(({ name }: Any) => name).sort(), ['Kim Park', 'Zoe Lund']);
  assert.deepEqual(
    (await users.search({ query: 'kim' })).map(({ id }: Any) => id),
    [made.id],
  );
  const [group] = await groups.list();
  assert.ok((await users.listByGroup(group.id)).every(({ role }: Any) => role === 'agent'));
}

async function search({ search: api }: Any, id: number): Promise<void> {
  const { result: found } = await api.query('type:ticket status>=solved requester:zoe@mail.example tags:audio');
  assert.deepEqual(
    found.map((ticket: Any) => ticket.id),
    [id],
  );
  assert.deepEqual(
    (await api.queryAll('zoe')).map(({ result_type }: Any) => result_type),
    ['ticket', 'user'],
  );
  const { result: counted } = await api.showResultsCount('type:ticket assignee:me');
  assert.ok((counted.count ?? counted) >= 1);
}

async function refusals({ tickets, users }: Any): Promise<void> {
  await assert.rejects(tickets.show(9), { statusCode: 404 });
  await assert.rejects(users.create({ user: { name: 'Kim', email: 'kim@mail.example' } }), { statusCode: 422 });
  await assert.rejects(tickets.update(105, { ticket: { subject: 'Once more' } }), { statusCode: 422 });
}
