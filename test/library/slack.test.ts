// What stays true of the workspace, under whatever is asked of it; and the vendor's own client and receiver against a served world.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import bolt from '@slack/bolt';
import { ErrorCode, WebClient, type WebClientOptions } from '@slack/web-api';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { createLocalWorld, type LocalWorld } from '../../src/index.js';
import fc, { casesOf } from '../fast-check.js';
import { library, PackageWorld } from './package-world.js';

interface Message {
  channel: string;
  ts: string;
  user: string;
  origin: string;
  parent_ts: string | null;
  reactions: { name: string; users: string[] }[];
  tombstone: boolean;
}
interface Channel {
  id: string;
  kind: string;
  members: string[];
  latest_us: number;
  is_archived: boolean;
}
interface Shown {
  ts: string;
  reply_count?: number;
}
interface Value {
  messages: Shown[];
  has_more: boolean;
  channels: { id: string }[];
  response_metadata?: { next_cursor: string };
}

let world: PackageWorld;
before(async () => {
  world = await PackageWorld.open('slack');
});
after(() => world.close());

const secondUs = 1_000_000;
const startS = 1772442000;
const channel = fc.constantFrom(
  'C01GENERAL',
  'C01SUPPORT',
  'C01SUPPORT',
  'C01DESIGN',
  'C01STAFF',
  'C01ALONE',
  'C01SECRET',
  'D01ADABEN',
  'C000000001',
);
const user = fc.constantFrom('U01BEN', 'U01INES', 'U01HELPDESK', 'U01ADA', 'U01NOBODY');
/** Times of messages that are there, or will be: those of one moment are a microsecond apart. */
const ts = fc.constantFrom(
  `${startS}.000000`,
  `${startS}.000001`,
  `${startS}.000002`,
  `${startS - 1800}.000100`,
  `${startS - 1200}.000100`,
);
const name = fc.constantFrom('eyes', 'tada');
const text = fc.constantFrom('Hello', 'A refund, please', '<@U01INES> are you there?', '');
const step = fc.oneof(
  fc.record({ call: fc.constant('chat.post-message'), channel, text }),
  fc.record({ call: fc.constant('chat.post-message'), channel, text, thread_ts: ts, reply_broadcast: fc.boolean() }),
  fc.record({ call: fc.constant('chat.update'), channel, ts, text }),
  fc.record({ call: fc.constant('chat.delete'), channel, ts }),
  fc.record({ call: fc.constantFrom('reactions.add', 'reactions.remove'), channel, timestamp: ts, name }),
  fc.record({ call: fc.constantFrom('pins.add', 'pins.remove'), channel, timestamp: ts }),
  fc.record({ call: fc.constant('conversations.create'), name: fc.constantFrom('new', 'newer'), is_private: fc.boolean() }),
  fc.record({
    call: fc.constantFrom('conversations.join', 'conversations.leave', 'conversations.archive', 'conversations.unarchive'),
    channel,
  }),
  fc.record({ call: fc.constant('conversations.invite'), channel, users: user }),
  fc.record({ call: fc.constant('conversations.kick'), channel, user }),
  fc.record({ call: fc.constant('conversations.open'), users: user }),
  fc.record({ call: fc.constant('chat.schedule-message'), channel, text, post_at: fc.constantFrom(startS + 60, startS + 600) }),
  fc.record({ call: fc.constant('reminders.add'), text: fc.constant('tea'), time: fc.constantFrom('60', 'in an hour') }),
  fc.record({ call: fc.constant('advance'), seconds: fc.constantFrom(1, 60, 700, 3600) }),
);
type Step = { call: string; seconds?: number; [argument: string]: unknown };

async function take({ call, ...args }: Step): Promise<void> {
  if (call === 'advance') return world.advance((args.seconds ?? 0) * secondUs);
  await world.call(call, JSON.parse(JSON.stringify(args)));
}

async function answerTo(call: string, args: object): Promise<Value> {
  const outcome = await world.call(call, JSON.parse(JSON.stringify(args)));
  assert.equal(outcome.kind, 'ok', JSON.stringify(outcome));
  return (outcome as unknown as { value: Value }).value;
}

function checkMessages(messages: readonly Message[], channels: ReadonlyMap<string, Channel>): void {
  const byPlace = new Map(messages.map((message) => [`${message.channel}:${message.ts}`, message]));
  assert.equal(byPlace.size, messages.length, 'a channel has one message of one ts');
  for (const message of messages) {
    const [seconds, micros] = message.ts.split('.').map(Number) as [number, number];
    assert.ok(seconds * secondUs + micros <= (channels.get(message.channel)?.latest_us ?? 0), 'no message is later than the latest');
    if (message.parent_ts !== null) {
      const parent = byPlace.get(`${message.channel}:${message.parent_ts}`);
      assert.ok(parent && parent.parent_ts === null && parent.ts < message.ts, 'a thread has one level, and its first message stays');
    }
    if (message.tombstone) assert.ok(messages.some(({ channel: of, parent_ts }) => of === message.channel && parent_ts === message.ts));
    assert.equal(new Set(message.reactions.map((reaction) => reaction.name)).size, message.reactions.length);
    for (const { users } of message.reactions) assert.ok(users.length > 0 && new Set(users).size === users.length);
  }
}

/** Every law that holds between two calls. */
async function checkLaws(): Promise<void> {
  const channels = new Map((await world.rows<Channel>('channels')).map((row) => [row.id, row]));
  const messages = await world.rows<Message>('messages');
  checkMessages(messages, channels);
  for (const { kind, members } of channels.values()) {
    assert.equal(new Set(members).size, members.length);
    if (kind === 'im') assert.ok(members.length <= 2);
  }
  for (const pin of await world.rows<{ channel: string; ts: string }>('pins'))
    assert.ok(
      messages.some((message) => message.channel === pin.channel && message.ts === pin.ts && !message.tombstone),
      'a pin holds something',
    );
  const nowS = Math.floor((await world.nowUs()) / secondUs);
  for (const { post_at } of await world.rows<{ post_at: number }>('scheduled')) assert.ok(post_at > nowS, 'what is due has been sent');
  await checkReading(channels, messages);
}

/** The lists show what is there and may be seen, once, whatever the size of the pages. */
async function checkReading(channels: ReadonlyMap<string, Channel>, messages: readonly Message[]): Promise<void> {
  const types = 'public_channel,private_channel,im,mpim';
  const visible = [...channels.values()]
    .filter(({ kind, members }) => kind === 'channel' || members.includes('U01ADA'))
    .map(({ id }) => id);
  const listed: string[] = [];
  let cursor = '';
  do {
    const page = await answerTo('conversations.list', { types, limit: 3, cursor });
    listed.push(...page.channels.map(({ id }) => id));
    cursor = page.response_metadata?.next_cursor ?? '';
  } while (cursor !== '');
  assert.deepEqual(listed, visible.sort());
  const own = messages.filter((message) => message.channel === 'C01SUPPORT');
  const seen: Shown[] = [];
  let more: Value;
  let next = '';
  do {
    more = await answerTo('conversations.history', { channel: 'C01SUPPORT', limit: 2, cursor: next });
    seen.push(...more.messages);
    next = more.response_metadata?.next_cursor ?? '';
    assert.equal(more.has_more, next !== '');
  } while (next !== '');
  const times = seen.map((message) => message.ts);
  assert.deepEqual(times, [...new Set(times)].sort().reverse(), 'newest first, each once');
  for (const message of seen) {
    const replies = own.filter(({ parent_ts }) => parent_ts === message.ts).length;
    assert.equal(message.reply_count ?? 0, replies, 'the count of replies is that of the replies');
  }
  for (const message of own) if (message.parent_ts === null) assert.ok(times.includes(message.ts), 'nothing is left out');
}

test('messages have times of their own, threads hold together, and lists show what is there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      await world.reset();
      for (const one of steps) await take(one);
      // What is due at this very moment has fired as well.
      await world.advance(0);
      await checkLaws();
    }),
    { numRuns: casesOf(25), includeErrorInReport: true },
  );
});

test('each message that was posted is there once, and of a call that was refused there is nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ channel, text, thread_ts: fc.option(ts, { nil: undefined }) }), { maxLength: 15 }),
      async (posts) => {
        await world.reset();
        const posted: string[] = [];
        for (const post of posts) {
          const outcome = await world.call('chat.post-message', JSON.parse(JSON.stringify(post)));
          if (outcome.kind !== 'ok') continue;
          const { channel: place, ts: at } = (outcome as unknown as { value: Message }).value;
          posted.push(`${place}:${at}`);
        }
        const rows = (await world.rows<Message>('messages')).filter(({ origin }) => origin === 'actor');
        assert.deepEqual(rows.map((row) => `${row.channel}:${row.ts}`).sort(), posted.sort());
      },
    ),
    { numRuns: 40 },
  );
});

test('any text is a query', async () => {
  await world.reset();
  const word = fc.constantFrom(
    'from:',
    'from:me',
    '"',
    '-',
    'in:#support',
    'has:',
    'has::tada:',
    'is:thread',
    'before:2026-02-30',
    'on:',
    ':',
    ' ',
    'x',
  );
  const query = fc.oneof(
    fc.string({ maxLength: 40, unit: 'binary' }),
    fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
  );
  await fc.assert(
    fc.asyncProperty(query, async (asked) => {
      const outcome = await world.call('search.messages', { query: asked });
      if (outcome.kind !== 'ok') assert.equal(outcome.error.code, 'NO_QUERY');
    }),
    { numRuns: 200 },
  );
});

const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => 'error' as never, setName() {} };

/** A world of the conformance project, and what the vendor's client has of it. */
async function serve(context: { after(done: () => Promise<void>): void }, scenarioId?: string, actorId = 'operator') {
  const local: LocalWorld = await createLocalWorld({
    root: `${library}/slack/conformance`,
    ...(scenarioId === undefined ? {} : { scenarioId }),
  });
  const bindings = createBindings({});
  context.after(async () => {
    await bindings.close();
    await local.close();
  });
  const { endpoints } = await bindings.open({ world: local.world, actorId, bindings: ['http'] });
  const { url, token } = endpoints.http ?? assert.fail('no http endpoint');
  const client = (options: WebClientOptions = {}, key = token): WebClient =>
    new WebClient(key, { slackApiUrl: `${url}/api/`, logger: quiet, retryConfig: { retries: 0 }, ...options });
  return { local, url, token, client };
}

const platform = (error: string) => (thrown: { code?: string; data?: { error?: string } }) => {
  assert.deepEqual([thrown.code, thrown.data?.error], [ErrorCode.PlatformError, error]);
  return true;
};

test('the client throws platform errors, of calls and of what became none', async (context) => {
  const { client } = await serve(context);
  const slack = client();
  await assert.rejects(slack.conversations.history({ channel: 'C01SECRET' }), platform('channel_not_found'));
  await assert.rejects(slack.conversations.history({ channel: 'C01NONE' }), platform('channel_not_found'));
  await assert.rejects(slack.chat.postMessage({ channel: 'C01DESIGN', text: 'x' }), platform('not_in_channel'));
  await assert.rejects(slack.emoji.list(), platform('unknown_method'));
  await assert.rejects(client({}, 'xoxb-wrong').auth.test(), platform('invalid_auth'));
  await assert.rejects(
    slack.apiCall('conversations.info', {}),
    (thrown: { data: { error: string; response_metadata: { messages: string[] } } }) => {
      assert.equal(thrown.data.error, 'invalid_arguments');
      assert.deepEqual(thrown.data.response_metadata.messages, ['[ERROR] missing required field: channel']);
      return true;
    },
  );
  const { client: ofReader } = await serve(context, undefined, 'reader');
  await assert.rejects(ofReader().chat.postMessage({ channel: 'C01SUPPORT', text: 'x' }), platform('missing_scope'));
});

test('what is no argument of a method is refused in words of the API, which say nothing of a simulation', async (context) => {
  const { client } = await serve(context);
  const refused = async (method: string, options: Record<string, unknown>) => {
    const { data } = (await client()
      .apiCall(method, options)
      .catch((thrown: unknown) => thrown)) as {
      data: { error: string; response_metadata: { messages: string[] } };
    };
    return [data.error, ...data.response_metadata.messages];
  };
  const posted = { channel: 'C01SUPPORT', text: 'x', blocks: 'none' };
  assert.deepEqual(await refused('chat.postMessage', posted), [
    'invalid_arguments',
    '[ERROR] must provide an array [json-pointer:/blocks]',
  ]);
  assert.match(
    String(await refused('conversations.history', { channel: 'C01SUPPORT', limit: 'few' })),
    /an integer \[json-pointer:\/limit\]/,
  );
});

test('an argument of the API that would change what comes of a call, and that is not there, is refused with the header', async (context) => {
  const { url, token } = await serve(context);
  const asked = async (body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/search.messages`, { method: 'POST', headers, body: JSON.stringify({ query: 'x', ...body }) });
    return [response.headers.get('x-drillyard-unsupported'), ((await response.json()) as { error?: string }).error];
  };
  assert.deepEqual(await asked({ cursor: '*' }), ['1', 'invalid_arguments']);
  assert.deepEqual(await asked({ cursor: '', team_id: 'T1', color: 'red' }), [null, undefined]);
});

test('text in Markdown is the text, and the name of a private channel leads there for its members alone', async (context) => {
  const { client } = await serve(context);
  const slack = client();
  const { message } = await slack.chat.postMessage({ channel: '#staff', markdown_text: '**Lunch**' });
  assert.equal(message?.text, '**Lunch**');
  await assert.rejects(slack.chat.postMessage({ channel: '#secret', text: 'x' }), platform('channel_not_found'));
});

test('the client walks pages, and sends options that a world does not know', async (context) => {
  const { client } = await serve(context);
  const slack = client();
  for (let number = 0; number < 7; number += 1)
    await slack.chat.postMessage({
      channel: 'C01SUPPORT',
      text: `${number}`,
      unfurl_links: false,
      mrkdwn: true,
      icon_emoji: ':robot_face:',
    });
  const texts: (string | undefined)[] = [];
  for await (const page of slack.paginate('conversations.history', { channel: 'C01SUPPORT', limit: 4 }))
    texts.push(...(page as unknown as { messages: { text: string }[] }).messages.map((message) => message.text));
  assert.equal(texts.length, 9);
  assert.deepEqual(texts.slice(0, 7), ['6', '5', '4', '3', '2', '1', '0']);
});

test('a file goes through all three steps, byte for byte, and leads back to the world', async (context) => {
  const { client, url, token } = await serve(context);
  const slack = client();
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 31) % 256));
  const { files } = (await slack.filesUploadV2({
    channel_id: 'C01SUPPORT',
    file: bytes,
    filename: 'noise.png',
    initial_comment: 'Listen',
  })) as unknown as {
    files: { files: { id: string }[] }[];
  };
  const file = files[0]?.files[0]?.id ?? assert.fail('no file');
  const { file: shown } = await slack.files.info({ file });
  assert.equal(shown?.size, bytes.length);
  assert.ok(shown?.url_private?.startsWith(`${url}/files-pri/`), shown?.url_private);
  const reply = await fetch(shown?.url_private ?? '', { headers: { authorization: `Bearer ${token}` } });
  assert.equal(reply.headers.get('content-type'), 'image/png');
  assert.deepEqual(Buffer.from(await reply.arrayBuffer()), bytes);
  const { messages } = await slack.conversations.history({ channel: 'C01SUPPORT', limit: 1 });
  assert.deepEqual([messages?.[0]?.text, messages?.[0]?.files?.[0]?.id], ['Listen', file]);
});

test('the URL of an upload is all that an upload needs, and one that is none is no success', async (context) => {
  const { client } = await serve(context);
  const { upload_url = '' } = await client().files.getUploadURLExternal({ filename: 'a.txt', length: 5 });
  const sent = await fetch(upload_url, { method: 'POST', body: 'hello' });
  assert.deepEqual([sent.status, await sent.text()], [200, 'OK - 5']);
  const lost = await fetch(`${upload_url}x`, { method: 'POST', body: 'hello' });
  assert.equal(lost.status, 404);
});

test('a limit is what the client knows as one, and it waits as long as Retry-After says', async (context) => {
  const { client } = await serve(context, 'ratelimited');
  await assert.rejects(client({ rejectRateLimitedCalls: true }).users.list({}), (thrown: { code?: string; retryAfter?: number }) => {
    assert.deepEqual([thrown.code, thrown.retryAfter], [ErrorCode.RateLimitedError, 1]);
    return true;
  });
  // The second is turned away as well; then the client, which is left to itself, asks again.
  assert.ok((await client({ retryConfig: { retries: 1, minTimeout: 1 } }).users.list({})).ok);
});

test('the client that is left to itself posts twice when an answer is lost', async (context) => {
  const { client } = await serve(context, 'post-answer-lost');
  const slack = client({ retryConfig: { retries: 2, minTimeout: 1 } });
  await slack.chat.postMessage({ channel: 'C01SUPPORT', text: 'Refunded' });
  const { messages } = await slack.conversations.history({ channel: 'C01SUPPORT', limit: 2 });
  assert.deepEqual(
    messages?.map((message) => message.text),
    ['Refunded', 'Refunded'],
  );
});

test('an app of bolt takes the events under its secret, and answers in a thread', async (context) => {
  const signingSecret = 'the app and the workspace know this';
  const receiver = new bolt.HTTPReceiver({ signingSecret, port: 0, logger: quiet });
  const server = await receiver.start(0);
  context.after(() => receiver.stop().then(() => {}));
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const local = await createLocalWorld({
    root: `${library}/slack/conformance`,
    callbackReceivers: { 'slack-app': { url: to, secret: signingSecret } },
  });
  const bindings = createBindings({});
  context.after(async () => {
    await bindings.close();
    await local.close();
  });
  const { endpoints } = await bindings.open({ world: local.world, actorId: 'bot', bindings: ['http'] });
  const { url, token } = endpoints.http ?? assert.fail('no http endpoint');
  // The client asks the world who it is, before the app takes anything.
  const app = new bolt.App({ token, receiver, logger: quiet, clientOptions: { slackApiUrl: `${url}/api/` }, deferInitialization: true });
  await app.init();
  const heard: string[] = [];
  const answered = new Promise<void>((resolve, reject) => {
    app.message(/./, async ({ message }) => void heard.push(message.type));
    app.event('reaction_added', async ({ event }) => void heard.push(event.reaction));
    app.event('app_mention', async ({ event, say }) => {
      await say({ text: `You said: ${event.text}`, thread_ts: event.ts }).then(() => resolve(), reject);
    });
  });
  const call = (operationId: string, args: { [name: string]: string }) =>
    local.call({ actorId: 'operator', packageId: 'slack', operationId, arguments: args });
  await call('reactions.add', { channel: 'C01SUPPORT', timestamp: '1772440200.000100', name: 'eyes' });
  const { outcome } = await call('chat.post-message', { channel: 'C01SUPPORT', text: 'Hello <@U01HELPDESK>' });
  assert.equal(outcome.kind, 'ok');
  await answered;
  const { outcome: thread } = await call('conversations.replies', { channel: 'C01SUPPORT', ts: '1772442000.000000' });
  assert.deepEqual(
    (thread as unknown as { value: { messages: { text: string; user: string }[] } }).value.messages.map((message) => [
      message.user,
      message.text,
    ]),
    [
      ['U01ADA', 'Hello <@U01HELPDESK>'],
      ['U01HELPDESK', 'You said: Hello <@U01HELPDESK>'],
    ],
  );
  assert.deepEqual(heard.slice(0, 2), ['eyes', 'message']);
  const forged = await fetch(`${to}/slack/events`, {
    method: 'POST',
    body: '{}',
    headers: { 'x-slack-signature': 'v0=00', 'x-slack-request-timestamp': '0' },
  });
  assert.equal(forged.status, 401);
});
