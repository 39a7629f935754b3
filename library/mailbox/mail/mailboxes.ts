// The mailboxes themselves: which a caller may use, and what one holds.
import { type MailboxInput, openMailbox, openMailboxes } from './access.js';
import { historyIdOf } from './history.js';
import type { Access, Context } from './model.js';
import { messagesOf } from './rows.js';
import { recipientsOfDay } from './sending.js';
import { usedBytes } from './storage.js';

interface Profile {
  address: string;
  name: string;
  messages: number;
  threads: number;
  unread: number;
  storage: { usedBytes: number; limitBytes: number | null };
  sending: { recipientsOfDay: number; limit: number | null };
  /** Of the last change, where the world keeps a history. */
  historyId?: number;
}

/** The caller's own first. */
export function listMailboxes(_input: object, context: Context): { items: { address: string; name: string; access: Access }[] } {
  return { items: openMailboxes(context).map(({ mailbox: { address, name }, access }) => ({ address, name, access })) };
}

export function getMailbox(input: MailboxInput, context: Context): Profile {
  const mailbox = openMailbox(context, input, 'read');
  const messages = messagesOf(context, mailbox);
  const { address, name, storageLimitBytes, dailyRecipientLimit } = mailbox;
  const historyId = historyIdOf(context, mailbox);
  return {
    address,
    name,
    messages: messages.length,
    threads: new Set(messages.map(({ threadId }) => threadId)).size,
    unread: messages.filter(({ labels, read }) => labels.includes('inbox') && !labels.includes('trash') && !read).length,
    storage: { usedBytes: usedBytes(context, mailbox), limitBytes: storageLimitBytes },
    sending: { recipientsOfDay: recipientsOfDay(context, mailbox).length, limit: dailyRecipientLimit },
    ...(historyId === undefined ? {} : { historyId }),
  };
}
