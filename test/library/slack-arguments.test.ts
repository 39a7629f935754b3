// A method of the Slack package answers every argument that a client sends in the API's words: none of them breaks the service.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/contract/json.js';
import { library } from './package-world.js';
import { serveWorld } from './served-world.js';

interface Manifest {
  operations: { id: string; inputSchema: { properties?: { [name: string]: unknown } } }[];
  http: { operationId: string; method: string; path: string }[];
}
type Fields = { [name: string]: string };

const long = 'x'.repeat(3000);
/** With these a method comes to the argument that is odd. */
const plain: Fields = {
  ...{ channel: 'C01GENERAL', user: 'U01BEN', users: 'U01BEN', ts: '1772440200.000100', timestamp: '1772440200.000100' },
  ...{ message_ts: '1772440200.000100', name: 'eyes', text: 'Hello', post_at: '1772445600', time: 'in 20 minutes' },
};

test('an id that no row can have is of nothing that is there', async (context) => {
  const { url, token } = await serveWorld(context, { packageId: 'slack' });
  const errorOf = async (method: string, fields: Fields): Promise<unknown> => {
    const reply = await fetch(`${url}/api/${method}`, { method: 'POST', body: new URLSearchParams({ token, ...fields }) });
    assert.equal(reply.status, 200, `${method} ${JSON.stringify(fields).slice(0, 80)}`);
    return ((await reply.json()) as { error?: string }).error;
  };
  const channel = 'C01GENERAL';
  for (const odd of ['', long]) {
    assert.equal(await errorOf('conversations.info', { channel: odd }), 'channel_not_found');
    assert.equal(await errorOf('users.info', { user: odd }), 'user_not_found');
    assert.equal(await errorOf('files.info', { file: odd }), 'file_not_found');
    assert.equal(await errorOf('reminders.info', { reminder: odd }), 'not_found');
    assert.equal(await errorOf('chat.deleteScheduledMessage', { channel, scheduled_message_id: odd }), 'invalid_scheduled_message_id');
    assert.equal(await errorOf('chat.delete', { channel, ts: odd }), 'message_not_found');
    assert.equal(await errorOf('chat.getPermalink', { channel, message_ts: odd }), 'message_not_found');
    assert.equal(await errorOf('reactions.get', { channel, timestamp: odd }), 'message_not_found');
    assert.equal(await errorOf('pins.remove', { channel, timestamp: odd }), 'no_pin');
    assert.equal(await errorOf('conversations.replies', { channel, ts: odd }), 'thread_not_found');
  }
});

test('a type of files that there is not names no file', async (context) => {
  const { local, url, token } = await serveWorld(context, { packageId: 'slack' });
  const call = async (operationId: string, args: JsonObject): Promise<JsonObject> => {
    const { outcome } = await local.call({ actorId: 'operator', packageId: 'slack', operationId, arguments: args });
    return outcome.kind === 'ok' ? (outcome.value as JsonObject) : assert.fail(JSON.stringify(outcome));
  };
  const { upload_url = '', file_id = '' } = await call('files.get-upload-url-external', { filename: 'a.txt', length: 5 });
  await call('files.upload', { upload: upload_url, content: 'hello' });
  await call('files.complete-upload-external', { files: [{ id: file_id }] });
  const listed = async (types: string): Promise<number> => {
    const reply = await fetch(`${url}/api/files.list?types=${types}`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(reply.status, 200, types);
    return ((await reply.json()) as { files: unknown[] }).files.length;
  };
  assert.equal(await listed('snippets'), 1);
  for (const types of ['__proto__', 'constructor', 'films']) assert.equal(await listed(types), 0, types);
});

test('no argument of any route breaks a method', async (context) => {
  const { url, token } = await serveWorld(context, { packageId: 'slack' });
  const text = readFileSync(join(library, 'slack', 'slack.tool.yaml'), 'utf8');
  const { manifest } = parse(text, { maxAliasCount: -1, merge: true }) as { manifest: Manifest };
  const propertiesOf = new Map(manifest.operations.map(({ id, inputSchema }) => [id, Object.keys(inputSchema.properties ?? {})]));
  const broken: string[] = [];
  let requests = 0;
  for (const { operationId, method, path } of manifest.http) {
    const names = propertiesOf.get(operationId) ?? [];
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    for (const name of new Set([...names, ...inPath])) {
      for (const odd of ['', long, '__proto__']) {
        const given: Fields = { ...plain, [name]: odd };
        const target = path.replace(/\{(\w+)\}/g, (_, one: string) => encodeURIComponent(given[one] ?? '1'));
        const fields = new URLSearchParams(Object.entries(given).filter(([one]) => names.includes(one) && !inPath.includes(one)));
        const reply = await fetch(`${url}${target}${method === 'GET' ? `?${fields}` : ''}`, {
          method,
          headers: { authorization: `Bearer ${token}` },
          ...(method === 'GET' ? {} : { body: fields }),
        });
        requests += 1;
        await reply.arrayBuffer();
        if (reply.status >= 500) broken.push(`${method} ${path} ${name}=${odd.slice(0, 9)}: ${reply.status}`);
      }
    }
  }
  assert.deepEqual(broken, []);
  assert.ok(requests > 300, `${requests} requests`);
});
