// Finding messages of a mailbox, and showing them in a line each.
import { type MailboxInput, openMailbox } from './access.js';
import { labelNamesOf } from './labels.js';
import type { Content, Context, Mailbox, Message, Person } from './model.js';
import { type Page, type PageInput, pageOf } from './paging.js';
import { type CompiledQuery, compileQuery, QueryProblem, type Searched } from './query.js';
import { messagesOf } from './rows.js';

export interface SearchInput extends MailboxInput, PageInput {
  readonly query?: string;
}
export interface Summary {
  id: string;
  threadId: string;
  from: Person;
  to: readonly Person[];
  subject: string;
  snippet: string;
  labels: readonly string[];
  read: boolean;
  starred: boolean;
  hasAttachments: boolean;
  arrivedAtUs: number;
}

const hiddenPlaces = ['trash', 'spam'] as const;
const snippetCharacters = 120;

export function searchMessages(input: SearchInput, context: Context): Page<Summary> & { total: number } {
  const mailbox = openMailbox(context, input, 'read');
  const found = findMessages(context, mailbox, input.query);
  const scope = `messages ${mailbox.address} ${input.query ?? ''}`;
  const page = pageOf(context, input, { items: found, placeOf: ({ id, arrivedAtUs }) => ({ id, atUs: arrivedAtUs }), scope });
  return { ...page, items: page.items.map(summaryOf), total: found.length };
}

/** Messages that match; those in trash or spam only when the query names these, and none that the index has not seen yet. */
export function findMessages(context: Context, mailbox: Mailbox, query = ''): Message[] {
  const nowUs = context.clock.nowUs();
  const { matches, places } = compiledFor(context, query, nowUs);
  const hidden = places.has('anywhere') ? [] : hiddenPlaces.filter((place) => !places.has(place));
  const indexedUntilUs = query.trim() === '' ? nowUs : nowUs - (context.state.get('settings', 'mail')?.searchLagUs ?? 0);
  const namesOf = labelNamesOf(context, mailbox);
  return messagesOf(context, mailbox).filter(
    (message) =>
      message.arrivedAtUs <= indexedUntilUs &&
      !hidden.some((place) => message.labels.includes(place)) &&
      matches({ ...message, labelNames: message.labels.flatMap(namesOf) }),
  );
}

function compiledFor(context: Context, query: string, nowUs: number): CompiledQuery {
  try {
    return compileQuery(query, nowUs);
  } catch (error) {
    if (!(error instanceof QueryProblem)) throw error;
    return context.fail({ code: 'QUERY_INVALID', message: error.message, details: { at: error.at } });
  }
}

/** A mail on its way, as a query sees it. */
export function searchedOf(content: Content, atUs: number): Searched {
  return { ...content, labelNames: [], read: false, starred: false, arrivedAtUs: atUs };
}

function summaryOf({ id, threadId, from, to, subject, body, labels, read, starred, attachments, arrivedAtUs }: Message): Summary {
  return {
    id,
    threadId,
    from,
    to,
    subject,
    snippet: snippetOf(body),
    labels,
    read,
    starred,
    hasAttachments: attachments.length > 0,
    arrivedAtUs,
  };
}

/** The beginning in one line, cut between characters. */
export function snippetOf(body: string): string {
  return [
    ...body
      .slice(0, 2 * snippetCharacters)
      .replace(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, snippetCharacters)
    .join('');
}
