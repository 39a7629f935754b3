// Handing a mail over: what it says is kept as it was sent, and each recipient has a delivery of its own on the way.
import { domainOf, recipientsOf } from './addresses.js';
import { cut, type Draft, subjectCharsMax } from './compose.js';
import type { Context, Mail, Origin } from './model.js';
import { nextId } from './rows.js';

export function postMail(context: Context, draft: Draft & { readonly messageId?: string }, way: { origin: Origin; delayUs: number }): Mail {
  const { from, replyTo, to, cc, bcc, body, html, htmlOnly, headers, inReplyTo, references, attachments } = draft;
  const subject = cut(draft.subject, subjectCharsMax);
  const id = nextId(context, 'mails');
  const messageId = draft.messageId ?? `<${id}@${domainOf(from.address)}>`;
  const content = { messageId, from, replyTo, to, cc, bcc, subject, body, html, htmlOnly, headers, inReplyTo, references, attachments };
  const mail = { ...content, id, origin: way.origin, sentAtUs: context.clock.nowUs() };
  context.state.put('mails', id, mail);
  for (const recipient of recipientsOf(mail)) queueDelivery(context, mail, recipient, way.delayUs);
  return mail;
}

/** How long mail takes today: the world's setting, with a part drawn from the world's seed where it asks for one. */
export function latencyUs(context: Context): number {
  const { latencyUs: shortestUs, jitterUs } = context.state.get('settings', 'mail') ?? { latencyUs: 2_000_000, jitterUs: 0 };
  return shortestUs + (jitterUs === 0 ? 0 : context.random.nextInteger(0, jitterUs + 1));
}

function queueDelivery(context: Context, mail: Mail, recipient: string, delayUs: number): void {
  const id = nextId(context, 'deliveries');
  const dueAtUs = mail.sentAtUs + delayUs;
  context.state.put('deliveries', id, {
    id,
    mailId: mail.id,
    origin: mail.origin,
    sender: mail.from.address,
    recipient,
    status: 'queued',
    reason: null,
    queuedAtUs: mail.sentAtUs,
    dueAtUs,
    settledAtUs: null,
  });
  context.events.scheduleAt('delivery.due', { deliveryId: id }, dueAtUs);
}
