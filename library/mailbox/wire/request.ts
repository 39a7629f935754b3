// What comes over the wire, as arguments of operations. What cannot be read is handed on as it came, so that the operation's schema refuses it
// in the words of this API; a body that is no object is thrown out here.
import { type DecodedRequest, type HttpRequest, type JsonValue, ToolFailure } from 'drillyard/tool-sdk';
import { usOf } from '../mail/dates.js';

type Arguments = { readonly [name: string]: JsonValue | undefined };

/** The arguments that are there; the query may name the mailbox. */
export function asked(request: HttpRequest, args: Arguments): DecodedRequest {
  const present: { [name: string]: JsonValue } = {};
  for (const [name, value] of Object.entries({ ...args, mailbox: single(request.query.mailbox) ?? args.mailbox }))
    if (value !== undefined) present[name] = value;
  return { arguments: present };
}

/** The same for what changes something: the header Idempotency-Key is the call's key. */
export function ordered(request: HttpRequest, args: Arguments): DecodedRequest {
  const key = single(request.headers['idempotency-key']);
  return { ...asked(request, args), ...(key === undefined ? {} : { idempotencyKey: key }) };
}

/** `q`, `limit` and `pageToken`, as lists take them. */
export function askedPage(request: HttpRequest): DecodedRequest {
  const { q, limit, pageToken } = request.query;
  return asked(request, { query: single(q), limit: numberIn(single(limit)), cursor: single(pageToken) });
}

export function jsonObject({ body }: HttpRequest): { readonly [name: string]: JsonValue } {
  if (body.kind === 'json' && isObject(body.value)) return body.value;
  throw unreadable('The body is no JSON object.');
}

export function form({ body }: HttpRequest): { readonly [name: string]: readonly string[] } {
  return body.kind === 'form' ? body.value : {};
}

export function text({ body }: HttpRequest): string {
  return body.kind === 'text' ? body.value : '';
}

/** A new message: people as `{ address, name? }` or as text, attachments as `{ name, contentType?, content }`. */
export function writtenIn(body: { readonly [name: string]: JsonValue }): Arguments {
  const { to, cc, bcc, attachments, ...rest } = body;
  return { ...rest, to: peopleIn(to), cc: peopleIn(cc), bcc: peopleIn(bcc), attachments: attachmentsIn(attachments) };
}

/** A message as text: header lines `To`, `Cc`, `Bcc` and `Subject` in any order, an empty line, the body. */
export function parsedMail(mail: string): Arguments {
  const [head = '', ...paragraphs] = mail.replaceAll('\r\n', '\n').split('\n\n');
  const headers = new Map<string, string>();
  for (const line of head.split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 1) throw unreadable(`'${line}' is no header line.`);
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const people = (name: string): string[] =>
    (headers.get(name) ?? '').split(',').flatMap((person) => (person.trim() === '' ? [] : [person.trim()]));
  return { to: people('to'), cc: people('cc'), bcc: people('bcc'), subject: headers.get('subject') ?? '', body: paragraphs.join('\n\n') };
}

export const single = (values: readonly string[] | undefined): string | undefined => values?.[0];

export function numberIn(value: string | undefined): JsonValue | undefined {
  return value !== undefined && /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
}

export function timeIn(value: string | undefined): JsonValue | undefined {
  return value === undefined ? undefined : (usOf(value) ?? value);
}

export function booleanIn(value: string | undefined): JsonValue | undefined {
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

const unreadable = (message: string): ToolFailure => new ToolFailure({ code: 'REQUEST_UNREADABLE', message });

function peopleIn(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  return value.map((person: JsonValue) => {
    if (!isObject(person) || typeof person.address !== 'string') return person;
    return typeof person.name === 'string' && person.name !== '' ? `${person.name} <${person.address}>` : person.address;
  });
}

function attachmentsIn(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  return value.map((attachment: JsonValue) => {
    if (!isObject(attachment)) return attachment;
    const { name, content, ...rest } = attachment;
    return { ...rest, ...(name === undefined ? {} : { filename: name }), ...(content === undefined ? {} : { text: content }) };
  });
}

function isObject(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
