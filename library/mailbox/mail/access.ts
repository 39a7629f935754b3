// Whose mailbox a caller acts in: its own, which the actor's attribute `mailbox` names, or one whose row lists it as a delegate.
import type { Access, Context, Mailbox } from './model.js';
import { rowsWhere } from './rows.js';

const ladder: readonly Access[] = ['read', 'organize', 'send'];

export interface MailboxInput {
  readonly mailbox?: string;
}

/** The mailbox named, or the caller's own. One that does not exist and one that is not for this caller look the same. */
export function openMailbox(context: Context, { mailbox: wanted }: MailboxInput, needed: Access): Mailbox {
  const address = wanted?.toLowerCase() ?? ownAddress(context);
  if (address === undefined) return context.fail({ code: 'ACCESS_DENIED', message: 'The caller has no mailbox of its own; name one.' });
  const mailbox = context.state.get('mailboxes', address);
  const access = mailbox && accessTo(context, mailbox);
  if (mailbox && access && ladder.indexOf(access) >= ladder.indexOf(needed)) return mailbox;
  return context.fail({
    code: 'ACCESS_DENIED',
    message: `The caller may not ${needed} in ${address}.`,
    details: { mailbox: address, needed },
  });
}

/** Every mailbox that the caller may at least read, its own first. */
export function openMailboxes(context: Context): { mailbox: Mailbox; access: Access }[] {
  const own = ownAddress(context);
  return rowsWhere(context, 'mailboxes', () => true)
    .flatMap((mailbox) => {
      const access = accessTo(context, mailbox);
      return access ? [{ mailbox, access }] : [];
    })
    .sort((a, b) => Number(b.mailbox.address === own) - Number(a.mailbox.address === own));
}

function accessTo(context: Context, { address, delegates }: Mailbox): Access | undefined {
  if (address === ownAddress(context)) return 'send';
  return delegates.find(({ actorId }) => actorId === context.actor.id)?.access;
}

function ownAddress({ actor }: Context): string | undefined {
  const { mailbox } = actor.attributes;
  return typeof mailbox === 'string' && mailbox !== '' ? mailbox.toLowerCase() : undefined;
}
