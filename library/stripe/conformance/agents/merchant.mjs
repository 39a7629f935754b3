// A merchant with a webhook endpoint of its own: makes the calls of its task, lets time go by, and stops unless the webhooks that came are
// those that the task expects. Each is verified as Stripe's libraries do it. `answers`: the statuses of the first webhooks; every other one
// is answered 200.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

const secret = 'whsec_the_merchant_and_stripe_know_this';

export default async ({ task }, { binding }) => {
  const { calls, waitUs, answers = [], expected } = task.input;
  const arrived = [];
  const receiver = createServer(async (request, response) => {
    const body = await buffer(request);
    arrived.push({ ...arrival(request.headers, body), path: request.url });
    response.writeHead(answers[arrived.length - 1] ?? 200).end();
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    await ask(binding.http, 'PUT', '/v1/receivers/merchant', { url: `http://127.0.0.1:${receiver.address().port}`, secret });
    for (const [index, { call, with: given }] of calls.entries()) {
      await ask(binding.http, 'POST', `/v1/operations/stripe/${call}`, { arguments: given, idempotencyKey: `call-${index}` });
    }
    await ask(binding.http, 'POST', '/v1/wait', { untilUs: waitUs });
  } finally {
    receiver.close();
  }
  const deliveries = [...new Set(arrived.map((one) => one.delivery))];
  const seen = arrived.map(({ delivery, path, ...shown }) => {
    if (path !== '/webhooks/stripe') throw new Error(`a webhook came to ${path}`);
    return { delivery: deliveries.indexOf(delivery) + 1, ...shown };
  });
  if (!isDeepStrictEqual(seen, expected)) throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(seen)}`);
  return seen;
};

function arrival(headers, body) {
  const { id, type } = JSON.parse(body);
  const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['stripe-signature']);
  const signed = signature === createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { delivery: headers['drillyard-delivery'], id, type, signed };
}

async function ask({ url, token }, method, path, body) {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await reply.json();
  if (!reply.ok || (answer.outcome ?? { kind: 'ok' }).kind !== 'ok') throw new Error(`${path}: ${JSON.stringify(answer)}`);
}
