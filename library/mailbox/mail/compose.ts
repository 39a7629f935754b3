// What a caller writes becomes a message of its mailbox: new, an answer, or handed on.
import { domainOf, peopleOf, textOf, withoutRepeats } from './addresses.js';
import { isoOf } from './dates.js';
import type { Attachment, Content, Context, Mailbox, Message, Person } from './model.js';
import { nextId } from './rows.js';
import { bytesOf } from './storage.js';
import { threadIdFor } from './threads.js';

export interface Written {
  readonly to?: readonly string[];
  readonly cc?: readonly string[];
  readonly bcc?: readonly string[];
  readonly subject?: string;
  readonly body?: string;
  readonly attachments?: readonly { readonly filename: string; readonly contentType?: string; readonly text: string }[];
}
/** As the manifest has them. */
export const subjectCharsMax = 500;
export const bodyCharsMax = 200_000;
const attachmentsMax = 25;
const referencesMax = 100;

/** What a message says, without the id that comes with its row. */
export type Draft = Omit<Content, 'messageId'>;

export function draftOf(self: Person, { to, cc, bcc, subject = '', body = '', attachments = [] }: Written): Draft {
  return {
    from: { address: self.address, name: self.name },
    replyTo: null,
    to: peopleOf(to),
    cc: peopleOf(cc),
    bcc: peopleOf(bcc),
    subject,
    body,
    headers: {},
    inReplyTo: null,
    references: [],
    attachments: attachments.map(({ filename, contentType = 'text/plain', text }, index) => ({
      id: attachmentId(index),
      filename,
      contentType,
      sizeBytes: bytesOf(text),
      text,
    })),
  };
}

/** An answer to the sender; with `all`, to everybody who got it as well. What one sent oneself is answered to those it went to. */
export function answerTo(self: Person, original: Content, { all, ...written }: Written & { readonly all: boolean }): Draft {
  const draft = draftOf(self, written);
  const own = original.from.address === self.address;
  const answered = own ? original.to : [original.replyTo ?? original.from];
  const to = withoutRepeats([...answered, ...(all && !own ? original.to : [])], own || !all ? [] : [self]);
  const cc = withoutRepeats([...(all ? original.cc : []), ...draft.cc], all ? [self, ...to] : to);
  return {
    ...draft,
    to,
    cc,
    subject: written.subject ?? prefixed('Re: ', original.subject),
    inReplyTo: original.messageId,
    references: chainOf(original),
  };
}

/** Handed on with its text below one's own, and its attachments. It stays in the sender's thread. */
export function forwardOf(
  self: Person,
  original: Message,
  { includeAttachments, ...written }: Written & { readonly includeAttachments: boolean },
): Draft {
  const draft = draftOf(self, written);
  const attached: readonly Attachment[] = includeAttachments ? original.attachments : [];
  return {
    ...draft,
    subject: written.subject ?? prefixed('Fwd: ', original.subject),
    body: [draft.body, ...(draft.body === '' ? [] : ['']), ...forwardedLines(original)].join('\n'),
    references: chainOf(original),
    attachments: [...draft.attachments, ...attached].map((attachment, index) => ({ ...attachment, id: attachmentId(index) })),
  };
}

/** A draft as a new message of the mailbox, not yet saved. */
export function newMessage(context: Context, mailbox: Mailbox, draft: Draft): Message {
  const id = nextId(context, 'messages');
  const messageId = `<${id}@${domainOf(mailbox.address)}>`;
  return {
    ...draft,
    subject: cut(draft.subject, subjectCharsMax),
    id,
    messageId,
    mailbox: mailbox.address,
    threadId: threadIdFor(context, mailbox, { ...draft, messageId }),
    mailId: null,
    labels: ['drafts'],
    read: true,
    starred: false,
    sentAtUs: null,
    arrivedAtUs: context.clock.nowUs(),
    sendAtUs: null,
    trashedAtUs: null,
  };
}

/** What is handed on grows with every hand. */
export function isTooLarge({ body, attachments }: Draft): boolean {
  const textChars = attachments.reduce((total, { text }) => total + (text?.length ?? 0), body.length);
  return attachments.length > attachmentsMax || textChars > bodyCharsMax;
}

/** At most so many UTF-16 units, and no half character at the end. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const last = text.charCodeAt(charsMax - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? charsMax - 1 : charsMax);
}

/** What a message that answers this one refers to, the latest of a long conversation only. */
export function chainOf({ references, messageId }: Pick<Content, 'references' | 'messageId'>): string[] {
  return [...references, messageId].slice(-referencesMax);
}

const prefixed = (prefix: string, subject: string): string =>
  subject.toLowerCase().startsWith(prefix.trim().toLowerCase()) ? subject : prefix + subject;

const attachmentId = (index: number): string => `att_${index + 1}`;

function forwardedLines({ from, to, cc, subject, body, sentAtUs, arrivedAtUs }: Message): string[] {
  const list = (people: readonly Person[]): string => people.map(textOf).join(', ');
  return [
    '---------- Forwarded message ----------',
    `From: ${textOf(from)}`,
    `Date: ${isoOf(sentAtUs ?? arrivedAtUs)}`,
    `Subject: ${subject}`,
    `To: ${list(to)}`,
    ...(cc.length === 0 ? [] : [`Cc: ${list(cc)}`]),
    '',
    body,
  ];
}
