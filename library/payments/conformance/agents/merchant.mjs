// A merchant with a receiver of its own: makes the charges of its task, lets time go by, and stops unless the webhooks that came are those
// that the task expects. `answers`: the statuses of the first webhooks; every other one is answered 204.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

const secret = 'the merchant and the provider know this';

export default async ({ task }, { binding }) => {
  const { charges, untilUs, answers = [], expected } = task.input;
  const arrived = [];
  const receiver = createServer(async (request, response) => {
    const body = await buffer(request);
    arrived.push({ ...arrival(request.headers, body), path: request.url });
    response.writeHead(answers[arrived.length - 1] ?? 204).end();
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    await ask(binding.http, 'PUT', '/v1/receivers/merchant', { url: `http://127.0.0.1:${receiver.address().port}`, secret });
    for (const [index, charge] of charges.entries()) {
      await ask(binding.http, 'POST', '/v1/operations/payments/charge.create', { arguments: charge, idempotencyKey: `charge-${index}` });
    }
    await ask(binding.http, 'POST', '/v1/wait', { untilUs });
  } finally {
    receiver.close();
  }
  const told = arrived.map(({ delivery, path, event, ...shown }) => {
    if (path !== '/webhooks/payments' || event !== 'settlement.completed') throw new Error(`a webhook came to ${path}: ${event}`);
    return { delivery: [...new Set(arrived.map((one) => one.delivery))].indexOf(delivery) + 1, ...shown };
  });
  if (!isDeepStrictEqual(told, expected)) throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(told)}`);
  return told;
};

function arrival(headers, body) {
  const { id, type, createdAtUs, data } = JSON.parse(body);
  const signed = headers['payments-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const delivery = headers['payments-delivery'];
  if (id !== delivery || type !== headers['payments-event']) throw new Error('body and headers differ');
  return { delivery, event: type, createdAtUs, chargeId: data.chargeId, amount: data.amount, signed };
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
