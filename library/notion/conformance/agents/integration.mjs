// An integration with a receiver of its own: makes the requests of its task, and stops unless the webhooks that came are those that the task
// expects. `answers`: the statuses of the first webhooks; every other one is answered 204.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { makeRequests } from './requests.mjs';

const secret = 'secret_of_the_verification_token';

export default async ({ task }, { binding }) => {
  const { requests, answers = [], expected } = task.input;
  const arrived = [];
  const receiver = createServer(async (request, response) => {
    arrived.push(arrival(request, await buffer(request)));
    response.writeHead(answers[arrived.length - 1] ?? 204).end();
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const { url, token } = binding.http;
    const reply = await fetch(`${url}/v1/receivers/integration`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${receiver.address().port}`, secret }),
    });
    if (!reply.ok) throw new Error(`no receiver: ${await reply.text()}`);
    await makeRequests(requests, binding.http);
  } finally {
    receiver.close();
  }
  const ids = [...new Set(arrived.map(({ id }) => id))];
  const seen = arrived.map(({ id, type, attempt, signed }) => `${ids.indexOf(id) + 1} ${type} ${attempt}${signed ? '' : ' forged'}`);
  if (!isDeepStrictEqual(seen, expected)) throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(seen)}`);
  return seen;
};

function arrival({ url, headers }, body) {
  const { id, type, attempt_number: attempt, entity, data, timestamp, api_version: version } = JSON.parse(body);
  if (url !== '/webhooks/notion' || id !== headers['x-notion-delivery']) throw new Error(`a webhook came to ${url} as ${id}`);
  if (!type.startsWith(`${entity.type}.`) || data.parent === undefined || !timestamp.endsWith('Z') || version === undefined) {
    throw new Error(`no webhook of Notion's: ${body}`);
  }
  const signed = headers['x-notion-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return { id, type, attempt, signed };
}
