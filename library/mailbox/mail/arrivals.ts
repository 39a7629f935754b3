// A mail arrives in a mailbox: in the thread of what it answers, in the inbox or among spam.
import { putMessage } from './history.js';
import { labelsWith } from './messages.js';
import type { Context, Mail, Mailbox, Message } from './model.js';
import { messagesOf, nextId } from './rows.js';
import { threadIdFor } from './threads.js';

/** One's own mail to oneself is one message, both sent and in the inbox. */
export function arrive(context: Context, mailbox: Mailbox, mail: Mail): Message {
  const own = messagesOf(context, mailbox).find(({ mailId }) => mailId === mail.id);
  const message = putMessage(context, own ? returned(own, mail) : copyOf(context, mailbox, mail), own);
  const { id: messageId, threadId, from, subject, labels, arrivedAtUs } = message;
  context.events.emit('message.arrived', { mailbox: mailbox.address, messageId, threadId, from, subject, labels, arrivedAtUs });
  return message;
}

const returned = (own: Message, mail: Mail): Message => ({ ...own, labels: labelsWith(own, [placeOf(mail)]), read: false });

function copyOf(context: Context, mailbox: Mailbox, mail: Mail): Message {
  const { id: mailId, origin: _, ...content } = mail;
  return {
    ...content,
    bcc: [],
    id: nextId(context, 'messages'),
    mailbox: mailbox.address,
    threadId: threadIdFor(context, mailbox, mail),
    mailId,
    labels: [placeOf(mail)],
    read: false,
    starred: false,
    arrivedAtUs: context.clock.nowUs(),
    sendAtUs: null,
    trashedAtUs: null,
  };
}

/** As the gate has marked it: the header x-spam-flag. */
const placeOf = ({ headers }: Mail): 'inbox' | 'spam' => (headers['x-spam-flag']?.toUpperCase() === 'YES' ? 'spam' : 'inbox');
