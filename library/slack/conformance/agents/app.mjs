// An app with a receiver of its own: makes the calls of its task, lets time go by, and stops unless the events that came are those that the
// task expects. `answers`: the statuses of the first requests; every other one is answered 200.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const secret = 'the app and the workspace know this';

export default async ({ task }, { binding }) => {
  const { calls, untilUs, answers = [], expected } = task.input;
  const arrived = [];
  const receiver = createServer(async (request, response) => {
    const body = await buffer(request);
    arrived.push({ ...arrival(request.headers, body), path: request.url });
    response.writeHead(answers[arrived.length - 1] ?? 200).end();
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    await ask(binding.http, 'PUT', '/v1/receivers/slack-app', { url: `http://127.0.0.1:${receiver.address().port}`, secret });
    for (const { call, with: args } of calls) await ask(binding.http, 'POST', `/v1/operations/slack/${call}`, { arguments: args });
    await ask(binding.http, 'POST', '/v1/wait', { untilUs });
  } finally {
    receiver.close();
  }
  for (const { path } of arrived) if (path !== '/slack/events') throw new Error(`an event came to ${path}`);
  const isExpected = arrived.length === expected.length && expected.every((one, index) => covers(arrived[index], { retry: null, ...one }));
  if (!isExpected) throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(arrived)}`);
  return arrived.map(({ event }) => event.type);
};

function arrival(headers, body) {
  const { type, event_id, event_time, event, team_id, api_app_id, authorizations } = JSON.parse(body);
  const base = `v0:${headers['x-slack-request-timestamp']}:${body}`;
  const signed = headers['x-slack-signature'] === `v0=${createHmac('sha256', secret).update(base).digest('hex')}`;
  if (!/^Slackbot 1\.0 /.test(headers['user-agent'])) throw new Error('it does not come from Slack');
  if (type !== 'event_callback' || event_id !== `Ev${headers['x-drillyard-delivery']}`) throw new Error('the envelope is not one');
  if (team_id !== 'T01BRAND' || api_app_id !== 'A01HELPDESK' || authorizations[0].user_id !== 'U01HELPDESK')
    throw new Error('of another app');
  return { event, time: event_time, retry: headers['x-slack-retry-num'] ?? null, signed };
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

/** Every member of `expected` is in `actual`; lists are as long as expected. */
function covers(actual, expected) {
  if (expected === null || typeof expected !== 'object') return actual === expected;
  if (actual === null || typeof actual !== 'object') return false;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) return false;
  return Object.entries(expected).every(([name, member]) => covers(actual[name], member));
}
