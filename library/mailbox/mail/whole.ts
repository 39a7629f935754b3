// A message as a mail program writes it: with headers, HTML and attachments of its own, which a caller of message.send leaves to the
// service.
import { withoutRepeats } from './addresses.js';
import type { Draft } from './compose.js';
import type { Attachment, Context, Mailbox, Message, Person } from './model.js';
import { requireThread } from './rows.js';
import { bytesOf } from './storage.js';

export interface WholeMessage {
  readonly to: readonly Person[];
  readonly cc: readonly Person[];
  readonly bcc: readonly Person[];
  readonly replyTo: Person | null;
  readonly subject: string;
  readonly body: string;
  readonly html?: string;
  readonly htmlOnly?: boolean;
  readonly headers: { readonly [name: string]: string };
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly attachments: readonly WrittenAttachment[];
}
interface WrittenAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly text?: string;
  readonly base64?: string;
}

/** Of text, HTML and attachments together: a row has its bound. */
const contentCharsMax = 700_000;

/** From the mailbox, whatever its From said. MESSAGE_TOO_LARGE ends the call. */
export function wholeDraft(context: Context, self: Mailbox, message: WholeMessage): Draft {
  const { body, html = '', attachments } = message;
  const chars = attachments.reduce((total, { text, base64 }) => total + (text ?? base64 ?? '').length, body.length + html.length);
  if (chars > contentCharsMax) context.fail({ code: 'MESSAGE_TOO_LARGE', message: `A message has at most ${contentCharsMax} characters.` });
  return {
    ...message,
    from: { address: self.address, name: self.name },
    to: withoutRepeats(message.to),
    cc: withoutRepeats(message.cc),
    bcc: withoutRepeats(message.bcc),
    html: message.html,
    htmlOnly: message.htmlOnly,
    attachments: attachments.map(attachmentOf),
  };
}

/** In the thread that is named; without one, in that which it belongs to by its headers. */
export function inThread(context: Context, mailbox: Mailbox, message: Message, threadId: string | undefined): Message {
  return threadId === undefined ? message : { ...message, threadId: requireThread(context, mailbox, threadId)[0].threadId };
}

function attachmentOf({ filename, contentType, text, base64 }: WrittenAttachment, index: number): Attachment {
  const head = { id: `att_${index + 1}`, filename, contentType };
  if (text !== undefined) return { ...head, sizeBytes: bytesOf(text), text };
  const content = base64 ?? '';
  const padding = /={0,2}$/.exec(content)?.[0].length ?? 0;
  return { ...head, sizeBytes: (content.length / 4) * 3 - padding, text: null, base64: content };
}
