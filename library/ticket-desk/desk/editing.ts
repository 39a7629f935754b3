// Several things of a ticket in one call, all of them or none: as a desk's form is sent, with a comment.
import { assignTicket } from './assignment.js';
import { writeComment } from './comments.js';
import { addRequester, requesterByEmail } from './directory.js';
import type { Author, Context, Priority, Status, Ticket, Visibility } from './model.js';
import { findPerson, requireAgentId, requireGroupId } from './numbers.js';
import { getSelf } from './people.js';
import { requireChangeable, requireTicket } from './rows.js';
import { setStatus } from './status.js';
import { createTicket, updateTicket } from './tickets.js';

interface Wishes {
  readonly subject?: string;
  readonly priority?: Priority;
  readonly status?: Status;
  readonly tags?: readonly string[];
  /** Null: nobody. */
  readonly assigneeNumber?: number | null;
  readonly groupNumber?: number | null;
}
interface NewTicket extends Wishes {
  readonly body: string;
  readonly requesterNumber?: number;
  /** Somebody who may be new to the desk. */
  readonly requester?: { readonly email: string; readonly name?: string };
}
interface Edit extends Wishes {
  readonly ticketId: string;
  /** The second in which the ticket was changed last, as the caller has read it. */
  readonly unchangedSinceUs?: number;
  readonly comment?: { readonly body: string; readonly visibility?: Visibility; readonly authorNumber?: number };
}

const secondUs = 1_000_000;
const subjectCharsMax = 80;

export function openTicket(input: NewTicket, context: Context): Ticket {
  const { body, subject = subjectOf(body), priority, status, tags } = input;
  const { assigneeId, groupId } = assignmentOf(context, input);
  const ticket = createTicket(
    {
      requesterId: requesterOf(context, input),
      subject,
      description: body,
      ...(priority === undefined ? {} : { priority }),
      ...(tags === undefined ? {} : { tags }),
      ...(typeof assigneeId === 'string' ? { assigneeId } : {}),
      ...(typeof groupId === 'string' ? { groupId } : {}),
    },
    context,
  );
  return status === undefined ? ticket : setStatus({ ticketId: ticket.id, status }, context);
}

/** First what it says, then who works on it, then the comment, and last the status: a reply that solves is solved. */
export function editTicket(input: Edit, context: Context): Ticket {
  const { ticketId, comment, status } = input;
  const before = requireUnchanged(context, input);
  saveFields(context, before, input);
  const assignment = assignmentOf(context, input);
  if (assignment.assigneeId !== undefined || assignment.groupId !== undefined) assignTicket({ ticketId, ...assignment }, context);
  if (comment !== undefined) {
    const ticket = requireTicket(context, ticketId);
    const { body, visibility = 'public', authorNumber } = comment;
    writeComment(context, ticket, { author: authorOf(context, ticket, authorNumber), body, visibility });
  }
  return status === undefined ? requireTicket(context, ticketId) : setStatus({ ticketId, status }, context);
}

function requireUnchanged(context: Context, { ticketId, unchangedSinceUs }: Edit): Ticket {
  const ticket = requireChangeable(context, { ticketId });
  const isSame = unchangedSinceUs === undefined || Math.floor(ticket.updatedAtUs / secondUs) === Math.floor(unchangedSinceUs / secondUs);
  return isSame
    ? ticket
    : context.fail({
        code: 'VERSION_CONFLICT',
        message: `${ticketId} has changed since it was read.`,
        details: { version: ticket.version },
      });
}

function saveFields(context: Context, { id: ticketId, tags: had }: Ticket, { subject, priority, tags }: Wishes): void {
  updateTicket(
    {
      ticketId,
      ...(subject === undefined ? {} : { subject }),
      ...(priority === undefined ? {} : { priority }),
      ...(tags === undefined ? {} : { addTags: tags, removeTags: had.filter((tag) => !tags.includes(tag)) }),
    },
    context,
  );
}

function assignmentOf(context: Context, { assigneeNumber, groupNumber }: Wishes) {
  return {
    ...(assigneeNumber === undefined ? {} : { assigneeId: assigneeNumber === null ? null : requireAgentId(context, assigneeNumber) }),
    ...(groupNumber === undefined ? {} : { groupId: groupNumber === null ? null : requireGroupId(context, groupNumber) }),
  };
}

function requesterOf(context: Context, { requesterNumber, requester }: NewTicket): string {
  if (requester !== undefined) {
    const { email, name = email.slice(0, email.indexOf('@')) } = requester;
    return (requesterByEmail(context, email) ?? addRequester(context, { name, email })).id;
  }
  const found = requesterNumber === undefined ? undefined : findPerson(context, requesterNumber);
  if (found?.kind === 'requester') return found.row.id;
  return context.fail({ code: 'REQUESTER_NOT_FOUND', message: 'A ticket is of a requester; agents ask for nothing here.' });
}

/** Named, or else the caller. */
function authorOf(context: Context, { requesterId, id }: Ticket, number: number | undefined): Author {
  if (number === undefined) {
    const { kind, id: own, name } = getSelf({}, context);
    return { kind, id: own, name };
  }
  const found = findPerson(context, number);
  if (found?.kind === 'agent' || found?.row.id === requesterId) return { kind: found.kind, id: found.row.id, name: found.row.name };
  return context.fail({ code: 'AUTHOR_NOT_FOUND', message: `${number} is neither an agent nor the requester of ${id}.` });
}

/** What a ticket without a subject is called: how it begins. */
function subjectOf(body: string): string {
  const [line = ''] = body.trim().split('\n');
  return [...line].slice(0, subjectCharsMax).join('').trim() || 'No subject';
}
