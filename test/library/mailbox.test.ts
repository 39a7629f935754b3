// What stays true of mail, under whatever is asked of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '../../src/contract/json.js';
import fc, { casesOf } from '../fast-check.js';
import { PackageWorld } from './package-world.js';

interface Person {
  address: string;
}
interface Message {
  id: string;
  mailbox: string;
  threadId: string;
  mailId: string | null;
  messageId: string;
  bcc: Person[];
  body: string;
  inReplyTo: string | null;
  labels: string[];
  sentAtUs: number | null;
  sendAtUs: number | null;
  trashedAtUs: number | null;
}
interface Mail {
  id: string;
  from: Person;
  to: Person[];
  cc: Person[];
  bcc: Person[];
  origin: string;
}
interface Delivery {
  mailId: string;
  recipient: string;
  status: string;
  dueAtUs: number;
  settledAtUs: number | null;
}

let world: PackageWorld;
before(async () => {
  world = await PackageWorld.open('mailbox');
});
after(() => world.close());

const secondUs = 1_000_000;
const dayUs = 86_400 * secondUs;
const address = fc.constantFrom(
  'ada@brand.example',
  'ben@brand.example',
  'team@brand.example',
  'mara@mail.example',
  'sales@gone.example',
  'noone@x.example',
);
const addresses = fc.uniqueArray(address, { maxLength: 3 });
const mailbox = fc.constantFrom(undefined, undefined, 'team@brand.example', 'limited@brand.example');
const messageId = fc.constantFrom('msg_000001', 'msg_000003', 'msg_000007', 'msg_000008', 'msg_000009', 'msg_000010');
const labelIds = fc.uniqueArray(fc.constantFrom('inbox', 'spam', 'lbl_invoices', 'lbl_team'), { maxLength: 2 });
const written = { mailbox, to: addresses, cc: addresses, bcc: addresses, subject: fc.constant('s'), body: fc.constant('b') };
const step = fc.oneof(
  fc.record({ call: fc.constant('message.send'), ...written }),
  fc.record({ call: fc.constantFrom('message.reply', 'message.reply-all'), mailbox, messageId, body: fc.constant('r'), bcc: addresses }),
  fc.record({ call: fc.constant('message.forward'), mailbox, messageId, to: addresses }),
  fc.record({ call: fc.constant('draft.create'), ...written }),
  fc.record({ call: fc.constantFrom('draft.send', 'draft.delete'), mailbox, draftId: messageId }),
  fc.record({
    call: fc.constant('draft.schedule'),
    mailbox,
    draftId: messageId,
    sendAtUs: fc.constantFrom(1772442005000000, 1772442600000000),
  }),
  fc.record({ call: fc.constant('message.schedule'), ...written, sendAtUs: fc.constant(1772442005000000) }),
  fc.record({ call: fc.constantFrom('schedule.cancel', 'message.trash', 'message.untrash'), mailbox, messageId }),
  fc.record({
    call: fc.constant('message.modify'),
    mailbox,
    messageId,
    addLabelIds: labelIds,
    removeLabelIds: labelIds,
    read: fc.boolean(),
  }),
  fc.record({ call: fc.constant('thread.trash'), threadId: fc.constantFrom('thr_000001', 'thr_000002', 'thr_000003') }),
  fc.record({ call: fc.constant('vacation.set'), mailbox, enabled: fc.boolean(), body: fc.constant('away') }),
  fc.record({ call: fc.constant('label.delete'), labelId: fc.constant('lbl_invoices') }),
  fc.record({ call: fc.constant('advance'), seconds: fc.constantFrom(1, 2, 5, 600, 5 * 86_400) }),
);

type Step = { call: string; seconds?: number; [argument: string]: unknown };

async function take({ call, ...args }: Step): Promise<void> {
  if (call === 'advance') return world.advance((args.seconds ?? 0) * secondUs);
  await world.call(call, JSON.parse(JSON.stringify(args)));
}

function checkMessages(messages: readonly Message[]): void {
  const byMessageId = new Map(messages.map((message) => [`${message.mailbox} ${message.messageId}`, message]));
  for (const message of messages) {
    const { labels } = message;
    assert.deepEqual(labels, [...new Set(labels)].sort());
    assert.equal(labels.includes('trash'), message.trashedAtUs !== null);
    assert.equal(labels.includes('scheduled'), message.sendAtUs !== null);
    assert.equal(
      labels.includes('drafts') || labels.includes('scheduled'),
      message.sentAtUs === null,
      'what was not sent waits or is a draft',
    );
    if (message.sentAtUs === null) assert.ok(message.mailId === null && !labels.includes('sent'));
    if (!labels.includes('sent') && message.sentAtUs !== null)
      assert.deepEqual(message.bcc, [], 'a blind copy is seen by its sender alone');
    const answered = byMessageId.get(`${message.mailbox} ${message.inReplyTo}`);
    if (answered) assert.equal(message.threadId, answered.threadId, 'an answer lies in the thread of what it answers');
  }
}

/** Every law that holds between two calls; nothing was deleted from the mailboxes but drafts. */
async function checkLaws(): Promise<void> {
  const nowUs = await world.nowUs();
  const messages = await world.rows<Message>('messages');
  const deliveries = await world.rows<Delivery>('deliveries');
  const mailboxes = new Set((await world.rows<Person>('mailboxes')).map((row) => row.address));
  checkMessages(messages);
  for (const mail of await world.rows<Mail>('mails')) {
    const own = deliveries.filter(({ mailId }) => mailId === mail.id);
    const wanted = new Set([...mail.to, ...mail.cc, ...mail.bcc].map((person) => person.address));
    assert.deepEqual(own.map(({ recipient }) => recipient).sort(), [...wanted].sort(), 'each recipient has one delivery');
    for (const { recipient, status } of own) {
      const copies = messages.filter(
        (message) => message.mailId === mail.id && message.mailbox === recipient && message.mailbox !== mail.from.address,
      );
      if (recipient !== mail.from.address) assert.equal(copies.length, status === 'delivered' && mailboxes.has(recipient) ? 1 : 0);
    }
  }
  for (const { status, dueAtUs, settledAtUs } of deliveries) {
    assert.equal(status === 'queued', settledAtUs === null);
    if (status === 'queued') assert.ok(dueAtUs > nowUs, 'what is due has been delivered');
    else assert.equal(settledAtUs, dueAtUs);
  }
  const bounced = await world.emitted('message.bounced');
  const notices = (await world.rows<Mail>('mails')).filter(({ origin }) => origin === 'bounce');
  assert.ok(notices.length <= bounced.length);
}

async function total(query: string): Promise<number> {
  const outcome = await world.call('message.search', { query });
  assert.equal(outcome.kind, 'ok');
  return (outcome as unknown as { value: { total: number } }).value.total;
}

test('mail reaches each recipient once, threads hold together, and labels say where a message stands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      await world.reset();
      for (const one of steps) await take(one);
      // What is due at this very moment has fired as well, and what that sends.
      await world.advance(0);
      await checkLaws();
      await world.advance(7 * dayUs);
      await checkLaws();
      const all = await total('in:anywhere');
      assert.equal((await total('in:anywhere is:read')) + (await total('in:anywhere is:unread')), all);
      assert.equal((await total('in:anywhere from:ada')) + (await total('in:anywhere -from:ada')), all);
      assert.equal(await total('in:anywhere (in:trash OR -in:trash)'), all);
    }),
    { numRuns: casesOf(25), includeErrorInReport: true },
  );
});

test('any text is a query or says where it is none', async () => {
  await world.reset();
  const word = fc.constantFrom(
    'from:',
    'from:a',
    '"',
    '(',
    ')',
    '-',
    'OR',
    'in:trash',
    'is:',
    'is:read',
    'after:2026-02-30',
    'before:2026-03-01',
    'x',
    ':',
    ' ',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ maxLength: 40, unit: 'binary' }),
        fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
      ),
      async (query) => {
        const outcome = await world.call('message.search', { query });
        if (outcome.kind === 'ok') return;
        assert.equal(outcome.error.code, 'QUERY_INVALID');
        const at = (outcome.error.details as JsonObject).at as number;
        assert.ok(at >= 0 && at <= query.length, `${at} of ${query.length}`);
      },
    ),
    { numRuns: 300 },
  );
});

test('days are counted as everybody counts them', async () => {
  await world.reset();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2_000 * 86_400 }), async (seconds) => {
      await world.advance(seconds * secondUs);
      const sent = await world.call('message.send', { to: ['mara@mail.example'], subject: 's', body: 'b' });
      const { id } = (sent as unknown as { value: Message }).value;
      const iso = new Date((await world.nowUs()) / 1000).toISOString().replace('.000Z', 'Z');
      const forwarded = await world.call('message.forward', { messageId: id, to: ['mara@mail.example'] });
      assert.ok((forwarded as unknown as { value: Message }).value.body.includes(`\nDate: ${iso}\n`), iso);
      // This moment's two messages, and none from before it.
      assert.equal(await total(`after:"${iso}"`), 2);
      assert.equal(await total(`after:"${iso}" before:"${iso}"`), 0);
      assert.equal(await total(`after:${iso.slice(0, 10)} -after:"${iso}"`), await total(`before:"${iso}" -before:${iso.slice(0, 10)}`));
    }),
    { numRuns: 40 },
  );
});
