// What a response has to be: a value of the client's own type. In those types nothing is required and everything may be null, so the
// members that a reply of its kind cannot do without are named here beside them; that list is this package's, and not Google's.
import { type RecordedExchange, typeChecker } from 'drillyard/compat';

const schema = (name: string): string => `import('@googleapis/gmail').gmail_v1.Schema$${name}`;
const withMembers = (name: string, members: string): string => `${schema(name)} & { ${members} }`;

const ref = withMembers('Message', 'id: string; threadId: string');
const head = withMembers('Message', 'id: string; threadId: string; labelIds: string[]');
const message = withMembers(
  'Message',
  'id: string; threadId: string; labelIds: string[]; snippet: string; historyId: string; internalDate: string; sizeEstimate: number',
);
const user = "{ type: 'user'; messageListVisibility: 'show'; labelListVisibility: 'labelShow' }";
const label = `${withMembers('Label', 'id: string; name: string')} & (${user} | { type: 'system' })`;
const counted = 'messagesTotal: number; messagesUnread: number; threadsTotal: number; threadsUnread: number';
const threadItem = withMembers('Thread', 'id: string; snippet: string; historyId: string');
const draft = `${schema('Draft')} & { id: string; message: ${head} }`;
const vacation = withMembers('VacationSettings', 'enableAutoReply: boolean; restrictToContacts: boolean; restrictToDomain: boolean');

const check = typeChecker({
  from: import.meta.url,
  types: {
    'users.getProfile': withMembers('Profile', 'emailAddress: string; messagesTotal: number; threadsTotal: number; historyId: string'),
    'users.messages.list': `${withMembers('ListMessagesResponse', 'resultSizeEstimate: number')} & { messages?: (${ref})[] }`,
    'users.messages.get': message,
    'users.messages.send': head,
    'users.messages.modify': head,
    'users.messages.batchModify': 'void',
    'users.messages.trash': head,
    'users.messages.untrash': head,
    'users.messages.delete': 'void',
    'users.messages.attachments.get': withMembers('MessagePartBody', 'size: number; data: string'),
    'users.threads.list': `${withMembers('ListThreadsResponse', 'resultSizeEstimate: number')} & { threads?: (${threadItem})[] }`,
    'users.threads.get': `${withMembers('Thread', 'id: string; historyId: string')} & { messages: (${message})[] }`,
    'users.threads.modify': `${withMembers('Thread', 'id: string')} & { messages: (${head})[] }`,
    'users.threads.trash': `${withMembers('Thread', 'id: string')} & { messages: (${head})[] }`,
    'users.threads.untrash': `${withMembers('Thread', 'id: string')} & { messages: (${head})[] }`,
    'users.drafts.list': `${withMembers('ListDraftsResponse', 'resultSizeEstimate: number')} & { drafts?: ({ id: string; message: ${ref} })[] }`,
    'users.drafts.get': `${schema('Draft')} & { id: string; message: ${message} }`,
    'users.drafts.create': draft,
    'users.drafts.update': draft,
    'users.drafts.send': head,
    'users.drafts.delete': 'void',
    'users.labels.list': `${schema('ListLabelsResponse')} & { labels: (${label})[] }`,
    'users.labels.get': `${label} & { ${counted} }`,
    'users.labels.create': label,
    'users.labels.update': label,
    'users.labels.patch': label,
    'users.labels.delete': 'void',
    'users.history.list': `${withMembers('ListHistoryResponse', 'historyId: string')} & { history?: ({ id: string; messages: (${ref})[] })[] }`,
    'users.settings.getVacation': vacation,
    'users.settings.updateVacation': vacation,
  },
  errors: `{
    error: { code: number; message: string; status: string; errors: { message: string; domain: string; reason: string }[] };
  }`,
});

/** Of a reply that was asked for in part, the members that are there are Google's; which are not, is the caller's wish. */
export function checkResponse(exchange: RecordedExchange): string[] {
  if (exchange.status < 400 && /(?:^|&)fields=/.test(exchange.query)) return [];
  const found = check(exchange);
  if (exchange.status < 400) return found;
  const { error } = JSON.parse(exchange.body) as { error?: { code?: unknown } };
  return error?.code === exchange.status ? found : [...found, `the body says ${error?.code}`];
}
