// A receiver of webhooks that also makes requests: it stops unless the webhooks that came are those that the task expects, in order.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

const secret = 'the receiver and the sender know this';

export default async ({ task }, { binding }) => {
  const { requests, untilUs, expected } = task.input;
  const arrived = [];
  const receiver = createServer(async (request, response) => {
    arrived.push(arrival(request.headers, await buffer(request)));
    response.writeHead(204).end();
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    await ask(binding.http, 'PUT /v1/receivers/webhook', { url: `http://127.0.0.1:${receiver.address().port}`, secret });
    for (const { send, body } of requests) await ask(binding.http, send, body);
    if (untilUs !== undefined) await ask(binding.http, 'POST /v1/wait', { untilUs });
  } finally {
    receiver.close();
  }
  const deliveries = [...new Set(arrived.map(({ delivery }) => delivery))];
  const shown = arrived.map(({ delivery, ...rest }) => ({ delivery: deliveries.indexOf(delivery) + 1, ...rest }));
  if (!isDeepStrictEqual(shown, expected)) throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(shown)}`);
  return shown;
};

function arrival(headers, body) {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const { action = '' } = JSON.parse(body);
  const event = headers['x-github-event'];
  return { delivery: headers['x-github-delivery'], event, action, signed: headers['x-hub-signature-256'] === signature };
}

async function ask({ url, token }, send, body) {
  const [method, path] = send.split(' ');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!reply.ok) throw new Error(`${send}: ${reply.status} ${await reply.text()}`);
}
