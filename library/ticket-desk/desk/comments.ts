// Replies and notes, and what a reply means for the ticket.
import type { Author, Comment, Context, Page, Ticket, Visibility } from './model.js';
import { pageOf } from './paging.js';
import { commentId, eachRow, requireChangeable, requireTicket, saveTicket } from './rows.js';
import { meetFirstResponse } from './sla.js';
import { changeStatus } from './status.js';

interface NewComment {
  readonly ticketId: string;
  readonly body: string;
  readonly visibility?: Visibility;
  readonly authorId?: string;
}

export function addComment(input: NewComment, context: Context): Comment {
  const ticket = requireChangeable(context, { ticketId: input.ticketId });
  return writeComment(context, ticket, {
    author: authorOf(context, ticket, input.authorId),
    body: input.body,
    visibility: input.visibility ?? 'public',
  });
}

/** Saves the comment and the ticket it changes. */
export function writeComment(context: Context, ticket: Ticket, written: Pick<Comment, 'author' | 'body' | 'visibility'>): Comment {
  const number = ticket.commentCount + 1;
  const comment = { id: commentId(ticket.id, number), ticketId: ticket.id, number, ...written, createdAtUs: context.clock.nowUs() };
  context.state.put('comments', comment.id, comment);
  context.events.emit('ticket.commented', {
    ticketId: ticket.id,
    commentId: comment.id,
    visibility: comment.visibility,
    authorKind: comment.author.kind,
  });
  const counted = { ...ticket, commentCount: number };
  saveTicket(context, comment.visibility === 'public' ? afterReply(context, counted, comment.author) : counted);
  return comment;
}

export function listComments(
  input: { readonly ticketId: string; readonly visibility?: Visibility; readonly limit?: number; readonly cursor?: string },
  context: Context,
): Page<Comment> {
  const { id } = requireTicket(context, input.ticketId);
  const { visibility, limit, cursor } = input;
  const items = [...eachRow(context, 'comments', `${id}-C`)].filter(
    (comment) => visibility === undefined || comment.visibility === visibility,
  );
  items.sort((a, b) => a.number - b.number);
  const scope = `comments ${id} ${visibility ?? ''}`;
  return pageOf(context, { items, idOf: (comment) => comment.id, keyOf: (comment) => comment.number, order: 'asc', scope, limit, cursor });
}

function afterReply(context: Context, ticket: Ticket, author: Author): Ticket {
  if (author.kind === 'requester') {
    const waiting = ticket.status === 'pending' || ticket.status === 'solved';
    return waiting ? changeStatus(context, ticket, 'open') : ticket;
  }
  const answered = { ...ticket, sla: meetFirstResponse(context, ticket) };
  return ticket.status === 'new' ? changeStatus(context, answered, 'open') : answered;
}

/** Named, or else the caller: the agent its attribute `agentId` or its own id names, or an integration of that name. */
function authorOf(context: Context, ticket: Ticket, authorId: string | undefined): Author {
  if (authorId !== undefined) {
    return (
      agentAuthor(context, authorId) ??
      requesterAuthor(context, ticket, authorId) ??
      context.fail({ code: 'AUTHOR_NOT_FOUND', message: `${authorId} is neither an agent nor the requester of ${ticket.id}.` })
    );
  }
  const { id, attributes } = context.actor;
  const agentId = typeof attributes.agentId === 'string' ? attributes.agentId : id;
  return agentAuthor(context, agentId) ?? { kind: 'integration', id, name: id };
}

function agentAuthor(context: Context, agentId: string): Author | undefined {
  const agent = context.state.get('agents', agentId);
  return agent && { kind: 'agent', id: agent.id, name: agent.name };
}

function requesterAuthor(context: Context, ticket: Ticket, authorId: string): Author | undefined {
  if (authorId !== ticket.requesterId) return undefined;
  const requester = context.state.get('requesters', authorId);
  return requester && { kind: 'requester', id: requester.id, name: requester.name };
}
