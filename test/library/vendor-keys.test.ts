// How the vendors' own pages send a key and a body, with curl as it is: each way that one names is taken.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { serveWorld } from './served-world.js';

type Fields = { [name: string]: string };
const basic = (login: string) => ({ authorization: `Basic ${Buffer.from(login).toString('base64')}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
/** What `curl -d` says, whatever the body is. */
const ofCurl = { 'content-type': 'application/x-www-form-urlencoded' };

async function open(context: TestContext, packageId: string) {
  const { url, token } = await serveWorld(context, { packageId });
  const ask = async (path: string, options: RequestInit) => {
    const reply = await fetch(url + path, options);
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as { [name: string]: unknown } };
  };
  return { token, ask };
}

test('Stripe takes its key as the user of a login, and says which answer is an earlier one', async (context) => {
  const { token, ask } = await open(context, 'stripe');
  const create = (name: string, more: Fields) =>
    ask('/v1/customers', { method: 'POST', headers: { ...basic(`${token}:`), ...ofCurl, ...more }, body: `name=${name}` });
  const key = { 'idempotency-key': 'once' };
  const first = await create('Cy', key);
  assert.equal(first.status, 200);
  assert.deepEqual([first.headers.get('idempotent-replayed'), first.headers.get('original-request')], [null, null]);
  const again = await create('Cy', key);
  assert.equal(again.body.id, first.body.id);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.headers.get('original-request'), first.headers.get('request-id'));
  assert.notEqual(again.headers.get('request-id'), first.headers.get('request-id'));
  assert.equal((await create('Cy', {})).headers.get('idempotent-replayed'), null);
});

test('GitHub takes its token as a password, and JSON that curl calls a form', async (context) => {
  const { token, ask } = await open(context, 'github');
  assert.equal((await ask('/user', { headers: basic(`ada:${token}`) })).status, 200);
  const asked = { method: 'POST', headers: { ...bearer(token), ...ofCurl }, body: '{"title":"Found a bug"}' };
  const { status, body } = await ask('/repos/acme/web/issues', asked);
  assert.deepEqual([status, body.title], [201, 'Found a bug']);
  assert.equal((await ask('/repos/acme/web/issues', { ...asked, body: 'title=x' })).status, 400);
});

test('Slack takes its token in a form and in the query', async (context) => {
  const { token, ask } = await open(context, 'slack');
  const post = (body: string, headers: Fields = {}) => ask('/api/auth.test', { method: 'POST', headers: { ...ofCurl, ...headers }, body });
  assert.equal((await post(`token=${token}`)).body.ok, true);
  assert.equal((await ask(`/api/auth.test?token=${token}`, { method: 'POST' })).body.ok, true);
  assert.equal((await post('', bearer(token))).body.ok, true);
  assert.equal((await post('token=wrong')).body.error, 'invalid_auth');
  assert.equal((await post(`token=${token}`, bearer('wrong'))).body.error, 'invalid_auth');
});

test('Zendesk takes a token of OAuth, too', async (context) => {
  const { token, ask } = await open(context, 'ticket-desk');
  for (const headers of [basic(`ines@example.com/token:${token}`), bearer(token)])
    assert.equal((await ask('/api/v2/users/me.json', { headers })).status, 200);
});
