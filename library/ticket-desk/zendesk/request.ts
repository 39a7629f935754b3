// Requests of Zendesk's clients as arguments of operations. What the desk does not have is thrown out by name, never left out silently;
// attributes that only Zendesk writes are passed over, as Zendesk does.
import type { DecodedRequest, HttpRequest, JsonValue } from 'drillyard/tool-sdk';
import { usOf } from '../desk/dates.js';
import { invalid, unsupported } from './failures.js';

export type Fields = { readonly [name: string]: JsonValue };
type Arguments = { readonly [name: string]: JsonValue | undefined };

/** `known`: what the query of this route may have. */
export function asked({ query, headers }: HttpRequest, known: readonly string[], args: Arguments): DecodedRequest {
  for (const name of Object.keys(query)) if (!known.includes(name)) throw unsupported(`The parameter ${name}`);
  if (headers['x-on-behalf-of'] !== undefined) throw unsupported('Acting on behalf of somebody else');
  const [idempotencyKey] = headers['idempotency-key'] ?? [];
  return { arguments: present(args), ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

export const single = ({ query }: HttpRequest, name: string): string | undefined => query[name]?.[0];

/** What is no number stays as it is, so that the operation's schema says so. */
export const numberIn = (value: string | undefined): JsonValue | undefined =>
  value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : value;

export function numbersIn(value: string | undefined): JsonValue[] | undefined {
  return value?.split(',').flatMap((part) => (part.trim() === '' ? [] : [numberIn(part.trim()) ?? part]));
}

/** The member of the body that holds the record. */
export function recordIn({ body }: HttpRequest, name: string): Fields {
  const record = body.kind === 'json' && isFields(body.value) ? body.value[name] : undefined;
  if (!isFields(record)) throw invalid(`The body has no ${name}.`);
  return record;
}

export function bodyIn({ body }: HttpRequest): Fields {
  if (body.kind === 'json' && isFields(body.value)) return body.value;
  throw invalid('The body is no JSON object.');
}

/** Of a ticket that is to be opened. */
export function newTicketIn(ticket: Fields): Arguments {
  refuse(ticket, notHere);
  const { comment, description, requester_id, requester } = ticket;
  const { body, visibility, authorNumber } = commentIn(comment) ?? { body: description };
  if (visibility === 'internal') throw unsupported('A first comment that is a note');
  if (authorNumber !== undefined) throw unsupported('An author of the first comment');
  return { ...wishesIn(ticket), body: body ?? description, requesterNumber: requester_id, requester: requesterIn(requester) };
}

export function ticketEditIn(ticket: Fields): Arguments {
  refuse(ticket, [...notHere, 'requester_id', 'requester']);
  const comment = commentIn(ticket.comment);
  return { ...wishesIn(ticket), unchangedSinceUs: unchangedSince(ticket), comment: comment === undefined ? undefined : present(comment) };
}

/** Attributes of a ticket that the desk has not. */
const notHere = [
  'type',
  'external_id',
  'organization_id',
  'assignee_email',
  'custom_fields',
  'fields',
  'custom_status_id',
  'due_at',
  'problem_id',
  'brand_id',
  'ticket_form_id',
  'recipient',
  'collaborators',
  'collaborator_ids',
  'email_ccs',
  'followers',
  'follower_ids',
  'submitter_id',
  'macro_id',
  'macro_ids',
  'metadata',
  'additional_tags',
  'remove_tags',
  'via_followup_source_id',
  'voice_comment',
];

function refuse(record: Fields, names: readonly string[]): void {
  for (const name of names) {
    const value = record[name];
    const isEmpty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) throw unsupported(`The attribute ${name}`);
  }
}

function wishesIn({ subject, priority, status, tags, assignee_id, group_id }: Fields): Arguments {
  return {
    subject,
    priority,
    status,
    tags: tagsIn(tags),
    assigneeNumber: assignee_id === '' ? null : assignee_id,
    groupNumber: group_id === '' ? null : group_id,
  };
}

/** A list, or words with blanks between them; each once. */
export function tagsIn(tags: JsonValue | undefined): JsonValue | undefined {
  if (typeof tags === 'string') return [...new Set(tags.split(/[\s,]+/).filter((tag) => tag !== ''))];
  return Array.isArray(tags) ? [...new Set(tags)] : tags;
}

function requesterIn(requester: JsonValue | undefined): JsonValue | undefined {
  if (!isFields(requester)) return requester ?? undefined;
  refuse(requester, ['locale_id', 'external_id']);
  const { email, name } = requester;
  return present({ email, name });
}

interface WrittenComment {
  readonly body?: JsonValue | undefined;
  readonly visibility?: JsonValue | undefined;
  readonly authorNumber?: JsonValue | undefined;
}
function commentIn(comment: JsonValue | undefined): (WrittenComment & Arguments) | undefined {
  if (comment === undefined || comment === null) return undefined;
  if (!isFields(comment)) throw invalid('A comment is an object with a body.');
  refuse(comment, ['uploads', 'html_body']);
  const { body, public: isPublic, author_id } = comment;
  return { body, visibility: isPublic === false ? 'internal' : 'public', authorNumber: author_id ?? undefined };
}

/** `safe_update` is on whatever its value, and needs the stamp. */
function unchangedSince({ safe_update, updated_stamp }: Fields): number | undefined {
  if (safe_update === undefined) return undefined;
  const us = typeof updated_stamp === 'string' ? usOf(updated_stamp) : undefined;
  if (us === undefined) throw invalid('safe_update needs updated_stamp, a time such as 2026-03-02T09:00:00Z.');
  return us;
}

export function present(args: Arguments): { [name: string]: JsonValue } {
  const there: { [name: string]: JsonValue } = {};
  for (const [name, value] of Object.entries(args)) if (value !== undefined) there[name] = value;
  return there;
}

function isFields(value: JsonValue | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
