// Scripted counterparts, as rows: when mail that matches arrives at an address, an answer comes from there some time later.
import { answerTo, bodyCharsMax, cut, type Draft, newMessage } from './compose.js';
import { personAt } from './contacts.js';
import type { Context, Correspondent, Mail, MailTypes, Person } from './model.js';
import { postMail } from './post.js';
import { compileQuery } from './query.js';
import { rowsWhere } from './rows.js';
import { searchedOf } from './search.js';
import { handOver } from './sending.js';

export function hasCorrespondent(context: Context, address: string): boolean {
  return rowsWhere(context, 'correspondents', (rule) => rule.address === address).length > 0;
}

/** The first rule of this address, by id, that matches and is not used up. Its answer comes after its delay. */
export function scheduleAnswer(context: Context, mail: Mail, address: string): void {
  const nowUs = context.clock.nowUs();
  const rule = rowsWhere(
    context,
    'correspondents',
    (one) => one.address === address && (one.times === null || one.answered < one.times) && matches(one, mail, nowUs),
  )[0];
  if (rule === undefined) return;
  context.state.put('correspondents', rule.id, { ...rule, answered: rule.answered + 1 });
  context.events.scheduleAt('correspondent.reply-due', { correspondentId: rule.id, mailId: mail.id }, nowUs + rule.delayUs);
}

/** Handles `correspondent.reply-due`. Somebody with a mailbox keeps a sent copy. */
export function writeAnswer(due: MailTypes['events']['correspondent.reply-due'], context: Context): void {
  const rule = context.state.get('correspondents', due.correspondentId);
  const mail = context.state.get('mails', due.mailId);
  if (rule === undefined || mail === undefined) return;
  const way = { origin: 'correspondent', delayUs: 0 } as const;
  const draft = answerOf(rule, mail, personAt(context, rule.address));
  const mailbox = context.state.get('mailboxes', rule.address);
  if (mailbox) handOver(context, newMessage(context, mailbox, draft), way);
  else postMail(context, draft, way);
}

function answerOf({ subject, body, attachments, replyAll }: Correspondent, mail: Mail, self: Person): Draft {
  const words = {
    body: cut(filled(body, mail, self), bodyCharsMax),
    ...(subject === null ? {} : { subject: filled(subject, mail, self) }),
  };
  const answer = answerTo(self, mail, { ...words, all: replyAll });
  return { ...answer, attachments };
}

/** `{{sender.name}}` and its kin; whatever else stands in braces stays. */
function filled(template: string, { from, subject, body }: Mail, self: Person): string {
  const values: { readonly [name: string]: string } = {
    'sender.name': from.name ?? from.address,
    'sender.address': from.address,
    'self.name': self.name ?? self.address,
    subject,
    body,
  };
  return template.replace(/\{\{([a-z.]+)\}\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? whole) : whole));
}

function matches({ id, query }: Correspondent, mail: Mail, nowUs: number): boolean {
  try {
    return compileQuery(query, nowUs).matches(searchedOf(mail, nowUs));
  } catch (error) {
    throw new Error(`correspondent ${id}: its query cannot be read: ${(error as Error).message}`);
  }
}
