// Writes to somebody, waits, and hears by a signed callback that an answer has come; it thanks for that answer while it is being called.
// It believes no callback whose signature is wrong, and acts once on what is delivered twice.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

const secret = 'only the mail service and this agent know it';

export default async ({ task, virtualTimeUs }, { binding }) => {
  const { letter, thanks, waitUs, expected } = task.input;
  const ask = client(binding.http);
  const { address: mailbox } = await ask('GET', '/mail/v1/profile');
  const seen = new Set();
  /** How many, and of which types those were that it believed. */
  const done = { thanked: 0, bounced: 0, repeated: 0, refused: 0, told: [] };
  const count = (what, status) => {
    done[what] += 1;
    return status;
  };
  const take = async (headers, body) => {
    if (!isSigned(headers['x-mail-signature'], body)) return count('refused', 401);
    const { id, type, data } = JSON.parse(body);
    if (id !== headers['x-mail-delivery']) return 400;
    if (seen.has(id)) return count('repeated', 200);
    seen.add(id);
    done.told.push(type);
    if (type === 'message.bounced') return data.sender === mailbox ? count('bounced', 204) : 204;
    if (data.mailbox !== mailbox || data.from.address !== letter.to[0]) return 204;
    await ask('POST', `/mail/v1/messages/${data.messageId}/reply`, { body: thanks });
    return count('thanked', 204);
  };
  const receiver = createServer(async (request, response) => response.writeHead(await take(request.headers, await text(request))).end());
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  try {
    await ask('PUT', '/v1/receivers/mail-events', { url: `http://127.0.0.1:${receiver.address().port}/hooks`, secret });
    await ask('POST', '/mail/v1/messages/send', letter);
    await ask('POST', '/v1/wait', { untilUs: virtualTimeUs + waitUs });
  } finally {
    receiver.close();
  }
  for (const [what, wanted] of Object.entries(expected)) {
    if (!isDeepStrictEqual(done[what], wanted)) throw new Error(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(done)}`);
  }
  return done;
};

function client({ url, token }) {
  return async (method, path, json) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const reply = await fetch(url + path, { method, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) });
    const answer = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${answer}`);
    return JSON.parse(answer);
  };
}

function isSigned(signature = '', body) {
  const wanted = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
