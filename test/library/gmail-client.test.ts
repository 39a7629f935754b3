// Google's own client, unchanged, against the mailbox of the library: whole messages there and back, pages, refusals, faults, the history.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { auth, gmail as gmailOf } from '@googleapis/gmail';
import fc from '../fast-check.js';
import { engines } from '../http/fake-control.js';
import { type ServedWorld, serveWorld } from './served-world.js';

const userId = 'me';
const dayUs = 86_400_000_000;

function clientOf({ url, token }: Pick<ServedWorld, 'url' | 'token'>, options: object = {}) {
  const credentials = new auth.OAuth2();
  credentials.setCredentials({ access_token: token });
  return gmailOf({ version: 'v1', auth: credentials, rootUrl: url, ...options }).users;
}
async function serve(context: TestContext, scenarioId?: string, more: { actorId?: string } = {}) {
  const world = await serveWorld(context, { packageId: 'mailbox', ...(scenarioId === undefined ? {} : { scenarioId }), ...more });
  return { ...world, users: clientOf(world) };
}
const rawOf = (lines: readonly string[]): string => Buffer.from(lines.join('\r\n')).toString('base64url');
const hello = rawOf(['To: ben@brand.example', 'Subject: Hello', '', 'Hello, Ben.']);

interface Refused {
  status?: number;
  response?: { data: { error: { code: number; status: string; errors: { reason: string; domain: string }[] } }; headers: Headers };
}
/** In Google's envelope, as the client hands it on. */
const refusal =
  (code: number, reason: string, status: string, isUnsupported = false) =>
  (thrown: unknown) => {
    const { status: seen, response } = thrown as Refused;
    const { error } = response?.data ?? assert.fail(`${thrown}`);
    assert.deepEqual([seen, error.code, error.errors[0]?.reason, error.status], [code, code, reason, status]);
    assert.equal(response?.headers.get('x-drillyard-unsupported'), isUnsupported ? '1' : null);
    return true;
  };

for (const engine of engines) {
  test(`${engine}: the client sends, reads and is refused in Google's words`, async (context) => {
    const world = await serveWorld(context, { packageId: 'mailbox', engine });
    const { messages, labels, history, threads, drafts } = clientOf(world);
    const { data: sent } = await messages.send({ userId, requestBody: { raw: hello } });
    const { data: seen } = await messages.get({ userId, id: sent.id ?? '' });
    assert.equal(Buffer.from(seen.payload?.body?.data ?? '', 'base64url').toString(), 'Hello, Ben.');
    const missing = refusal(404, 'notFound', 'NOT_FOUND');
    await assert.rejects(messages.get({ userId, id: 'msg_none' }), missing);
    await assert.rejects(threads.get({ userId, id: 'thr_none' }), missing);
    await assert.rejects(drafts.get({ userId, id: sent.id ?? '' }), missing);
    await assert.rejects(history.list({ userId, startHistoryId: '1' }), missing);
    const invalid = refusal(400, 'invalidArgument', 'INVALID_ARGUMENT');
    await assert.rejects(messages.send({ userId, requestBody: { raw: '!' } }), invalid);
    await assert.rejects(messages.send({ userId, requestBody: { raw: rawOf(['To: nobody', '', 'x']) } }), invalid);
    await assert.rejects(messages.list({ userId, q: 'is:lost' }), invalid);
    // Words of Google's, and nothing of a schema.
    const said = async (call: Promise<unknown>) => ((await call.catch((thrown: unknown) => thrown)) as Error).message;
    const addLabelIds = ['No such label!'];
    assert.equal(await said(messages.modify({ userId, id: sent.id ?? '', requestBody: { addLabelIds } })), 'Invalid label: No such label!');
    await assert.rejects(labels.create({ userId, requestBody: { name: 'Invoices 2026' } }), refusal(409, 'aborted', 'ABORTED'));
    await assert.rejects(clientOf(world).getProfile({ userId: 'ben@brand.example' }), refusal(403, 'forbidden', 'PERMISSION_DENIED'));
    await assert.rejects(clientOf(world).watch({ userId }), refusal(404, 'notFound', 'NOT_FOUND', true));
    const upload = { mimeType: 'message/rfc822', body: 'To: ben@brand.example\r\n\r\nHello' };
    // The client takes the root of an upload from the call alone.
    await assert.rejects(messages.send({ userId, media: upload }, { rootUrl: world.url }), refusal(404, 'notFound', 'NOT_FOUND', true));
    // Where clients in other languages send several calls in one.
    for (const path of ['/batch', '/batch/gmail/v1']) {
      const batch = await fetch(world.url + path, { method: 'POST', headers: { authorization: `Bearer ${world.token}` }, body: '--x--' });
      const { error } = (await batch.json()) as { error: { status: string } };
      assert.deepEqual([batch.status, error.status, batch.headers.get('x-drillyard-unsupported')], [404, 'NOT_FOUND', '1'], path);
    }
    await assert.rejects(clientOf({ ...world, token: 'wrong' }).getProfile({ userId }), refusal(401, 'authError', 'UNAUTHENTICATED'));
    // What is not of Gmail is refused as ever.
    const codeOf = async (path: string, token = world.token) => {
      const reply = await fetch(world.url + path, { headers: { authorization: `Bearer ${token}` } });
      return ((await reply.json()) as { code: string }).code;
    };
    assert.equal(await codeOf('/mail/v1/nothing'), 'control.ROUTE_NOT_FOUND');
    assert.equal(await codeOf('/mail/v1/labels', 'wrong'), 'control.UNAUTHENTICATED');
    assert.equal(await codeOf('/gmail/v11/users/me/profile'), 'control.ROUTE_NOT_FOUND');
  });
}

test('an actor without the grant lacks permission', async (context) => {
  const { users } = await serve(context, undefined, { actorId: 'intern' });
  await assert.rejects(users.labels.list({ userId }), refusal(403, 'insufficientPermissions', 'PERMISSION_DENIED'));
});

test('lists are walked to their end, each item once, at any size of page', async (context) => {
  const { users, local } = await serve(context);
  for (let number = 0; number < 12; number += 1)
    await users.messages.send({ userId, requestBody: { raw: rawOf([`To: ben@brand.example`, `Subject: ${number}`, '', 'x']) } });
  assert.equal((await local.position()).virtualTimeUs, 1772442000000000);
  for (const maxResults of [1, 5, 100]) {
    const ids: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = pageToken === undefined ? {} : { pageToken };
      const { data } = await users.messages.list({ userId, labelIds: ['SENT'], maxResults, ...page });
      assert.equal(data.resultSizeEstimate, 13);
      ids.push(...(data.messages ?? []).map(({ id }) => id ?? ''));
      pageToken = data.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    assert.equal(new Set(ids).size, 13);
    assert.equal(ids.length, 13);
  }
});

test('the client asks again where it may: of a read after 429, not of a message whose answer was lost', async (context) => {
  const limited = await serve(context, 'rate-limited');
  assert.equal((await limited.users.getProfile({ userId }, { retryConfig: { retryDelay: 1 } })).data.emailAddress, 'ada@brand.example');
  const lost = await serve(context, 'send-answer-lost');
  await assert.rejects(
    lost.users.messages.send({ userId, requestBody: { raw: hello } }),
    refusal(504, 'backendError', 'DEADLINE_EXCEEDED'),
  );
  assert.equal((await lost.users.messages.list({ userId, q: 'subject:hello in:sent' })).data.resultSizeEstimate, 1, 'it was sent');
});

test('the history tells what has changed since, and 404 when a week has gone', async (context) => {
  const { users, advance } = await serve(context, 'history');
  const startHistoryId = (await users.getProfile({ userId })).data.historyId ?? '';
  await users.messages.modify({ userId, id: 'msg_000003', requestBody: { removeLabelIds: ['UNREAD'] } });
  await users.messages.send({ userId, requestBody: { raw: rawOf(['To: ben@brand.example', 'Subject: Lunch?', '', 'At one?']) } });
  await advance(5_000_000);
  const { data } = await users.history.list({ userId, startHistoryId });
  const told = data.history?.flatMap(({ messagesAdded = [], labelsRemoved = [] }) => [
    ...messagesAdded.map(({ message }) => message?.labelIds?.join()),
    ...labelsRemoved.map(({ labelIds }) => `-${labelIds?.join()}`),
  ]);
  assert.deepEqual(told, ['-UNREAD', 'SENT', 'INBOX,UNREAD'], 'Ben has answered');
  assert.equal((await users.history.list({ userId, startHistoryId: data.historyId ?? '' })).data.history, undefined);
  await advance(8 * dayUs);
  await assert.rejects(users.history.list({ userId, startHistoryId }), refusal(404, 'notFound', 'NOT_FOUND'));
});

const name = fc.option(
  fc.string({ maxLength: 30, unit: 'binary' }).map((text) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim() || 'x'),
  { nil: null },
);
const person = fc.record({ address: fc.constantFrom('ben@brand.example', 'mara@mail.example', 'a+b@partner.example'), name });
const line = fc.string({ maxLength: 60, unit: 'binary' }).map((text) => text.replace(/[\r\n\0]/g, '').trim());
const text = fc
  .array(fc.oneof(line, fc.constantFrom('', '--', '--=_mixed_msg_000007', 'From me', 'x'.repeat(200), 'tail ', '=E4', '.')), {
    maxLength: 5,
  })
  .map((lines) => lines.join('\n'));
const attachment = fc.oneof(
  fc.record({
    filename: name.map((one) => one ?? 'a.txt'),
    contentType: fc.constantFrom('text/plain', 'text/csv'),
    text: fc.string({ maxLength: 80, unit: 'binary' }),
  }),
  fc.record({
    filename: name.map((one) => one ?? 'a.bin'),
    contentType: fc.constantFrom('image/png', 'application/pdf'),
    base64: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  }),
);
const whole = fc.record({
  to: fc.array(person, { minLength: 1, maxLength: 3 }),
  cc: fc.array(person, { maxLength: 2 }),
  bcc: fc.constant([]),
  replyTo: fc.option(person, { nil: null }),
  subject: line,
  body: text,
  html: fc.option(
    text.filter((html) => html !== ''),
    { nil: undefined },
  ),
  headers: fc.constantFrom({}, { 'x-priority': '1', 'list-id': 'Größe <list.brand.example>' }),
  inReplyTo: fc.constantFrom(null, '<offsite@brand.example>'),
  references: fc.constantFrom([], ['<offsite@brand.example>']),
  attachments: fc.array(attachment, { maxLength: 3 }),
});

test('a message that is read as it was sent, and sent so again, is the same message', async (context) => {
  const { users, local } = await serve(context);
  const stored = async (id: string) =>
    (await local.row({ packageId: 'mailbox', namespace: 'messages' }, id)) ?? assert.fail(`no row ${id}`);
  await fc.assert(
    fc.asyncProperty(whole, async (message) => {
      const { outcome } = await local.call({
        ...{ actorId: 'operator', packageId: 'mailbox', operationId: 'draft.save' },
        arguments: { message: JSON.parse(JSON.stringify(message)) },
      });
      assert.equal(outcome.kind, 'ok', JSON.stringify(outcome));
      const { id } = (outcome as unknown as { value: { id: string } }).value;
      const { data } = await users.drafts.get({ userId, id, format: 'raw' });
      const raw = data.message?.raw ?? '';
      const sent = Buffer.from(raw, 'base64url').toString('latin1');
      assert.ok(/^[\x20-\x7e\r\n\t]*$/.test(sent) && sent.split('\r\n').every((one) => one.length <= 998), 'ASCII, in lines');
      const { data: again } = await users.drafts.create({ userId, requestBody: { message: { raw } } });
      const [one, other] = [await stored(id), await stored(again.id ?? '')] as [Record<string, unknown>, Record<string, unknown>];
      for (const member of ['to', 'cc', 'replyTo', 'subject', 'body', 'html', 'headers', 'inReplyTo', 'references', 'attachments'])
        assert.deepEqual(other[member], one[member], member);
    }),
    { numRuns: 150 },
  );
});

test('mail as programs write it is read: charsets, encodings, groups, comments, pieces of parameters', async (context) => {
  const { users } = await serve(context);
  const latin = Buffer.from(
    [
      'to: The others: ben@brand.example (Ben), "Mara \\"M\\" Jensen" <Mara@mail.example>;',
      'subject: =?iso-8859-1?Q?Gr=FC=DFe?= =?utf-8?B?IHVuZA==?=',
      ' folded',
      'content-type: multipart/mixed;',
      '\tboundary=simple (a comment)',
      '',
      'A preamble.',
      '--simple',
      'Content-Type: text/plain; charset=windows-1252',
      'Content-Transfer-Encoding: 8bit',
      '',
      '\x80 5 f\xfcr zwei',
      '--simple',
      "Content-Type: application/pdf; name*0*=utf-8''Rech%20; name*1=nung.pdf",
      'Content-Transfer-Encoding: BASE64',
      '',
      'JVBERg',
      '--simple--',
      'An epilogue.',
    ].join('\n'),
    'latin1',
  );
  const { data } = await users.messages.send({ userId, requestBody: { raw: latin.toString('base64') } });
  const { data: full } = await users.messages.get({ userId, id: data.id ?? '' });
  const headerOf = (wanted: string) => full.payload?.headers?.find((header) => header.name === wanted)?.value;
  assert.equal(headerOf('To'), 'ben@brand.example, "Mara \\"M\\" Jensen" <mara@mail.example>');
  assert.equal(headerOf('Subject'), 'Grüße und folded');
  const [body, pdf] = full.payload?.parts ?? [];
  assert.equal(Buffer.from(body?.body?.data ?? '', 'base64url').toString(), '€ 5 für zwei');
  assert.deepEqual([pdf?.mimeType, pdf?.filename, pdf?.body?.size], ['application/pdf', 'Rech nung.pdf', 4]);
});

test('any bytes are a message or say why they are none', async (context) => {
  const { users } = await serve(context);
  const piece = fc.constantFrom(
    'To: ben@brand.example',
    'Subject: =?x?',
    'Content-Type: multipart/mixed; boundary=b',
    '--b',
    '--b--',
    '',
    ' ',
    'x',
    'Content-Transfer-Encoding: base64',
    ':',
    '\0',
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((one) => Buffer.from(one)),
    fc.array(piece, { maxLength: 12 }).map((lines) => Buffer.from(lines.join('\r\n'))),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (mail) => {
      try {
        await users.drafts.create({ userId, requestBody: { message: { raw: mail.toString('base64url') } } });
      } catch (error) {
        assert.equal((error as Refused).status, 400, `${error}`);
      }
    }),
    { numRuns: 200 },
  );
});
