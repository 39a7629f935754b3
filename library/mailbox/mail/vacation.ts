// The vacation responder: an answer to each sender, once in four days, and never to what was sent automatically.
import { type MailboxInput, openMailbox } from './access.js';
import { answerTo } from './compose.js';
import { type Context, dayUs, type Mail, type Mailbox, type Message, type Vacation } from './model.js';
import { latencyUs, postMail } from './post.js';

interface VacationWish extends MailboxInput {
  readonly enabled: boolean;
  readonly subject?: string | null;
  readonly body?: string;
  readonly fromUs?: number | null;
  readonly untilUs?: number | null;
  readonly contactsOnly?: boolean;
}

const answerAgainUs = 4 * dayUs;

export function getVacation(input: MailboxInput, context: Context): Vacation {
  return vacationOf(context, openMailbox(context, input, 'read'));
}

/** What is left out stays as it was. */
export function setVacation(wish: VacationWish, context: Context): Vacation {
  const mailbox = openMailbox(context, wish, 'send');
  const vacation = { ...vacationOf(context, mailbox), ...wish, mailbox: mailbox.address };
  if (vacation.fromUs !== null && vacation.untilUs !== null && vacation.untilUs <= vacation.fromUs) {
    return context.fail({ code: 'PERIOD_INVALID', message: 'untilUs lies not after fromUs.' });
  }
  if (vacation.enabled && vacation.body === '')
    return context.fail({ code: 'BODY_REQUIRED', message: 'A responder that is on needs a text.' });
  context.state.put('vacations', mailbox.address, vacation);
  return vacation;
}

/** Answers the mail that has arrived as this message, if the mailbox's user is away and it wants an answer. */
export function answerAway(context: Context, mailbox: Mailbox, { mail, message }: { mail: Mail; message: Message }): void {
  const vacation = vacationOf(context, mailbox);
  const sender = mail.from.address;
  if (!isAway(context, vacation) || !wantsAnswer(mail, message) || (vacation.contactsOnly && !isKnown(context, sender))) return;
  const rowId = `${mailbox.address} ${sender}`;
  const nowUs = context.clock.nowUs();
  const last = context.state.get('vacation-answers', rowId);
  if (last && nowUs - last.answeredAtUs < answerAgainUs) return;
  context.state.put('vacation-answers', rowId, { mailbox: mailbox.address, sender, answeredAtUs: nowUs });
  const { subject, body } = vacation;
  const answer = answerTo(mailbox, mail, { all: false, body, ...(subject === null ? {} : { subject }) });
  postMail(context, { ...answer, headers: { 'auto-submitted': 'auto-replied' } }, { origin: 'vacation', delayUs: latencyUs(context) });
  context.events.emit('vacation.replied', { mailbox: mailbox.address, sender });
}

function vacationOf(context: Context, { address }: Mailbox): Vacation {
  const off = { mailbox: address, enabled: false, subject: null, body: '', fromUs: null, untilUs: null, contactsOnly: false };
  return context.state.get('vacations', address) ?? off;
}

function isAway(context: Context, { enabled, fromUs, untilUs }: Vacation): boolean {
  const nowUs = context.clock.nowUs();
  return enabled && nowUs >= (fromUs ?? -Infinity) && nowUs < (untilUs ?? Infinity);
}

/** Neither spam, nor one's own, nor a list's, nor automatic (RFC 3834). */
function wantsAnswer({ from, headers }: Mail, { mailbox, labels }: Message): boolean {
  const automatic = (headers['auto-submitted'] ?? 'no').toLowerCase() !== 'no' || headers['list-id'] !== undefined;
  return !automatic && !labels.includes('spam') && from.address !== mailbox;
}

function isKnown(context: Context, address: string): boolean {
  return context.state.get('contacts', address) !== undefined || context.state.get('mailboxes', address) !== undefined;
}
