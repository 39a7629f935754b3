// Gmail's own client for Node.js, as it is, against the world: each method that the package serves, and what the client makes of refusals.
import assert from 'node:assert/strict';
import { auth, type gmail_v1, gmail as gmailOf } from '@googleapis/gmail';
import type { CompatContext } from 'drillyard/compat';

const userId = 'me';

export async function driveGmail({ url, token, advance }: CompatContext): Promise<void> {
  const credentials = new auth.OAuth2();
  credentials.setCredentials({ access_token: token });
  const { users } = gmailOf({ version: 'v1', auth: credentials, rootUrl: url });
  const { data: profile } = await users.getProfile({ userId });
  assert.equal(profile.emailAddress, 'ada@brand.example');
  await reading(users);
  const sentId = await sending(users);
  await advance(5_000_000);
  await organizing(users);
  await drafts(users);
  await labels(users);
  await settings(users);
  const { data: history } = await users.history.list({ userId, startHistoryId: profile.historyId ?? '' });
  assert.ok(history.history?.some(({ messagesAdded }) => messagesAdded?.[0]?.message?.id === sentId));
  await refusals(users);
}

type Users = gmail_v1.Resource$Users;

async function reading({ messages, threads }: Users): Promise<void> {
  const ids: (string | null | undefined)[] = [];
  let pageToken: string | undefined;
  do {
    const { data } = await messages.list({
      userId,
      maxResults: 2,
      includeSpamTrash: true,
      ...(pageToken === undefined ? {} : { pageToken }),
    });
    ids.push(...(data.messages ?? []).map(({ id }) => id));
    pageToken = data.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
  assert.equal(new Set(ids).size, 5);
  const { data: unread } = await messages.list({ userId, labelIds: ['INBOX', 'UNREAD'], q: 'from:ben' });
  assert.deepEqual(
    unread.messages?.map(({ id }) => id),
    ['msg_000003'],
  );
  const id = 'msg_000001';
  const { data: full } = await messages.get({ userId, id });
  const part = full.payload?.parts?.find(({ filename }) => filename === 'invoice-0117.txt');
  const { data: attached } = await messages.attachments.get({ userId, messageId: id, id: part?.body?.attachmentId ?? '' });
  assert.equal(Buffer.from(attached.data ?? '', 'base64url').toString(), 'Total 79.00');
  const { data: head } = await messages.get({ userId, id, format: 'metadata', metadataHeaders: ['Subject', 'from'] });
  assert.deepEqual(
    head.payload?.headers?.map(({ name }) => name),
    ['From', 'Subject'],
  );
  assert.equal((await messages.get({ userId, id, format: 'minimal' })).data.payload, undefined);
  const { data: partial } = await messages.get({ userId, id, fields: 'id,payload(mimeType,headers/name)' });
  assert.deepEqual(Object.keys(partial).sort(), ['id', 'payload']);
  const { data: found } = await threads.list({ userId, q: 'invoice' });
  const { data: thread } = await threads.get({ userId, id: found.threads?.[0]?.id ?? '', format: 'metadata' });
  assert.deepEqual(
    thread.messages?.map((message) => message.id),
    ['msg_000001', 'msg_000002'],
  );
}

/** Lines as a mail program writes them: two texts and an attachment. */
export const mail = [
  'To: =?UTF-8?Q?Ben_Okor=C3=B3?= <Ben@brand.example>, "Jensen, Mara" <mara@mail.example>',
  'Subject: =?UTF-8?B?WmFobGVuIGbDvHIgTcOkcno=?=',
  'In-Reply-To: <offsite@brand.example>',
  'References: <offsite@brand.example>',
  'X-Priority: 1',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=outer',
  '',
  '--outer',
  'Content-Type: multipart/alternative; boundary="inner"',
  '',
  '--inner',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Sch=C3=B6ne Gr=C3=BC=C3=9Fe, =',
  'Ada',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Grüße, <b>Ada</b></p>',
  '--inner--',
  '--outer',
  "Content-Type: image/png; name*=utf-8''bl%C3%A4tter.png",
  'Content-Transfer-Encoding: base64',
  'Content-Disposition: attachment',
  '',
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]).toString('base64'),
  '--outer--',
  '',
].join('\r\n');

async function sending({ messages }: Users): Promise<string> {
  const raw = Buffer.from(mail).toString('base64url');
  const { data: sent } = await messages.send({ userId, requestBody: { raw } });
  assert.deepEqual([sent.threadId, sent.labelIds], ['thr_000003', ['SENT']]);
  const id = sent.id ?? '';
  const { data: full } = await messages.get({ userId, id, format: 'full' });
  const header = (name: string) => full.payload?.headers?.find((one) => one.name === name)?.value;
  assert.equal(header('X-Priority'), '1');
  assert.match(header('To') ?? '', /<ben@brand\.example>, "Jensen, Mara" <mara@mail\.example>$/);
  const [texts, picture] = full.payload?.parts ?? [];
  const said = texts?.parts?.map(({ body }) => Buffer.from(body?.data ?? '', 'base64url').toString());
  assert.deepEqual(said, ['Schöne Grüße, Ada', '<p>Grüße, <b>Ada</b></p>']);
  assert.equal(picture?.filename, 'blätter.png');
  const { data: bytes } = await messages.attachments.get({ userId, messageId: id, id: picture?.body?.attachmentId ?? '' });
  assert.deepEqual([...Buffer.from(bytes.data ?? '', 'base64url')], [0x89, 0x50, 0x4e, 0x47, 0, 255]);
  const { data: asSent } = await messages.get({ userId, id, format: 'raw' });
  assert.match(
    Buffer.from(asSent.raw ?? '', 'base64url').toString(),
    /^Message-ID: <msg_\d+@brand\.example>\r\nDate: Mon, 02 Mar 2026 09:00:00 \+0000\r\n/,
  );
  return id;
}

async function organizing({ messages, threads }: Users): Promise<void> {
  const { data: read } = await messages.modify({
    userId,
    id: 'msg_000003',
    requestBody: { addLabelIds: ['STARRED', 'lbl_invoices'], removeLabelIds: ['UNREAD', 'INBOX'] },
  });
  assert.deepEqual(read.labelIds?.toSorted(), ['STARRED', 'lbl_invoices']);
  const { status } = await messages.batchModify({ userId, requestBody: { ids: ['msg_000001', 'msg_000003'], addLabelIds: ['UNREAD'] } });
  assert.equal(status, 204);
  const id = 'msg_000004';
  assert.ok((await messages.trash({ userId, id })).data.labelIds?.includes('TRASH'));
  assert.ok(!(await messages.untrash({ userId, id })).data.labelIds?.includes('TRASH'));
  await messages.delete({ userId, id });
  const thread = { userId, id: 'thr_000001' };
  const { data: modified } = await threads.modify({ ...thread, requestBody: { removeLabelIds: ['UNREAD'] } });
  assert.ok(modified.messages?.every(({ labelIds }) => !labelIds?.includes('UNREAD')));
  await threads.trash(thread);
  const { data: back } = await threads.untrash(thread);
  assert.equal(back.messages?.length, 2);
}

async function drafts({ drafts: api, messages }: Users): Promise<void> {
  const raw = (subject: string): string => Buffer.from(`To: ben@brand.example\r\nSubject: ${subject}\r\n\r\nHello`).toString('base64url');
  const { data: made } = await api.create({ userId, requestBody: { message: { raw: raw('First'), threadId: 'thr_000001' } } });
  const id = made.id ?? '';
  assert.equal(made.message?.threadId, 'thr_000001');
  assert.deepEqual(
    (await api.list({ userId })).data.drafts?.map((draft) => draft.id),
    [id],
  );
  await api.update({ userId, id, requestBody: { message: { raw: raw('Second') } } });
  const { data: seen } = await api.get({ userId, id });
  assert.equal(seen.message?.payload?.headers?.find(({ name }) => name === 'Subject')?.value, 'Second');
  const { data: sent } = await api.send({ userId, requestBody: { id } });
  assert.deepEqual((await messages.get({ userId, id: sent.id ?? '' })).data.labelIds, ['SENT']);
  const { data: other } = await api.create({ userId, requestBody: { message: { raw: raw('Third') } } });
  assert.equal((await api.delete({ userId, id: other.id ?? '' })).status, 204);
}

async function labels({ labels: api }: Users): Promise<void> {
  const requestBody = { name: 'Travel', labelListVisibility: 'labelShow', messageListVisibility: 'show' };
  const { data: made } = await api.create({ userId, requestBody });
  const id = made.id ?? '';
  assert.equal((await api.patch({ userId, id, requestBody: { name: 'Trips' } })).data.name, 'Trips');
  assert.equal((await api.update({ userId, id, requestBody: { ...requestBody, id } })).data.name, 'Travel');
  assert.equal((await api.get({ userId, id: 'INBOX' })).data.type, 'system');
  assert.ok((await api.list({ userId })).data.labels?.some((label) => label.id === id));
  await api.delete({ userId, id });
}

async function settings({ settings: api }: Users): Promise<void> {
  const requestBody = {
    enableAutoReply: true,
    responseSubject: 'Away',
    responseBodyPlainText: 'Back on Monday.',
    endTime: '1772960400000',
  };
  await api.updateVacation({ userId, requestBody });
  assert.equal((await api.getVacation({ userId })).data.endTime, '1772960400000');
}

async function refusals({ messages, history, labels: api }: Users): Promise<void> {
  await assert.rejects(messages.get({ userId, id: 'msg_none' }), { status: 404 });
  await assert.rejects(history.list({ userId, startHistoryId: '999' }), { status: 404 });
  await assert.rejects(api.create({ userId, requestBody: { name: 'invoices 2026' } }), { status: 409 });
  await assert.rejects(messages.send({ userId, requestBody: { raw: 'no base64!' } }), { status: 400 });
}
