// Mail from outside the world: a scenario schedules `mail.received`, and becomes a ticket.
import type { Frozen } from 'drillyard/tool-sdk';
import { writeComment } from './comments.js';
import { addRequester, requesterByEmail } from './directory.js';
import type { Context, MailReceived, Requester } from './model.js';
import { createTicket } from './tickets.js';

/** Handles `mail.received`. */
export function takeInMail(mail: Frozen<MailReceived>, context: Context): void {
  const { email } = mail.from;
  const sender = requesterByEmail(context, email) ?? addRequester(context, { name: nameOf(mail.from), email });
  const ticket = mail.ticketId === undefined ? undefined : context.state.get('tickets', mail.ticketId);
  if (ticket && ticket.status !== 'closed' && ticket.requesterId === sender.id) {
    writeComment(context, ticket, { author: authorOf(sender), body: mail.body, visibility: 'public' });
    return;
  }
  const { subject, body: description, priority = 'normal' } = mail;
  createTicket({ requesterId: sender.id, subject, description, priority }, context);
}

/** Who gives no name is called by the address before the @. */
const nameOf = ({ name, email }: Frozen<MailReceived>['from']): string => name ?? email.slice(0, email.indexOf('@'));

const authorOf = ({ id, name }: Requester) => ({ kind: 'requester', id, name }) as const;
