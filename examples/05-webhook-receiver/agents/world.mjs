// How both agents reach the world: its HTTP binding, and a receiver of their own that the world knows.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const { SERVICE_HTTP_URL: base, SERVICE_HTTP_TOKEN: token } = process.env;

export async function call(operationId, args, idempotencyKey) {
  const { outcome } = await ask('POST', `/v1/operations/payments/${operationId}`, { arguments: args, idempotencyKey });
  if (outcome.kind !== 'ok') throw new Error(`${operationId}: ${outcome.error.message}`);
  return outcome.value;
}

export async function waitUntil(untilUs) {
  await ask('POST', '/v1/wait', { untilUs });
}

/** Callbacks for `merchant` come here from now on. `answer(headers, body)` yields the status. */
export async function receive(secret, answer) {
  const server = createServer(async (request, response) => {
    response.writeHead(await answer(request.headers, await buffer(request))).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  await ask('PUT', '/v1/receivers/merchant', { url: `http://127.0.0.1:${server.address().port}`, secret });
  return server;
}

async function ask(method, path, body) {
  const reply = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await reply.json();
  if (!reply.ok) throw new Error(`${path}: ${answer.message}`);
  return answer;
}
