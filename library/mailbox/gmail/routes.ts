// Gmail's API, version 1, below /gmail/v1: how each of its methods becomes a call, and the outcome what its clients read.
import type { EncodeInput, HttpRequest, JsonValue, ToolBehavior } from 'drillyard/tool-sdk';
import type { HistoryRow, Message, Vacation } from '../mail/model.js';
import type { Summary } from '../mail/search.js';
import type { Thread, ThreadHead } from '../mail/threads.js';
import { nothing, replyWith } from './errors.js';
import { invalid, unsupported } from './failures.js';
import { changeOf, gmailLabel, ownLabel, textsIn } from './labels.js';
import {
  type Format,
  formats,
  gmailAttachment,
  gmailDraft,
  gmailHead,
  gmailHistory,
  gmailItem,
  gmailMessage,
  gmailThread,
  gmailThreadItem,
  historyNumber,
} from './messages.js';
import { queryOf } from './query.js';
import { asked, bodyOf, type Fields, oneOf, pageSize, single, wholeMessage } from './request.js';
import { gmailVacation, vacationOf } from './vacation.js';

interface Page<Item> {
  items: readonly Item[];
  total: number;
  nextCursor?: string;
}
type Shown = { [name: string]: JsonValue };

const listed = ['q', 'labelIds', 'includeSpamTrash', 'maxResults', 'pageToken'];
const shaped = ['format', 'metadataHeaders'];
const pageMax = 100;

const formatOf = ({ request }: EncodeInput): [Format, readonly string[]] => [
  formats.find((format) => format === request.query.format?.[0]?.toLowerCase()) ?? 'full',
  request.query.metadataHeaders ?? [],
];
const head = replyWith(gmailHead);
const message = replyWith((value: Message, input) => gmailMessage(value, ...formatOf(input)));

function list(request: HttpRequest, also?: string) {
  const page = { query: queryOf(request, also), limit: pageSize(request, pageMax), cursor: single(request, 'pageToken') };
  return asked(request, listed, page);
}

function page<Item>(name: string, shape: (item: Item) => JsonValue) {
  return replyWith(({ items, total, nextCursor }: Page<Item>) => ({
    ...(items.length === 0 ? {} : { [name]: items.map(shape) }),
    ...(nextCursor === undefined ? {} : { nextPageToken: nextCursor }),
    resultSizeEstimate: total,
  }));
}

/** The format is looked at before the call, so that a wrong one is none. */
function read(request: HttpRequest, args: Fields, allowed: readonly Format[] = formats) {
  oneOf(request, 'format', allowed);
  return asked(request, shaped, args);
}

const pathOnly = (name: string, own: string) => (request: HttpRequest) => asked(request, [], { [own]: request.path[name] ?? '' });
const messagePath = pathOnly('id', 'messageId');
const threadPath = pathOnly('id', 'threadId');
const draftPath = pathOnly('id', 'draftId');

export const gmailRoutes: NonNullable<ToolBehavior['http']> = {
  'gmail.getProfile': {
    decode: (request) => asked(request, [], {}),
    encode: replyWith(
      ({ address, messages, threads, historyId }: { address: string; messages: number; threads: number; historyId?: number }) => ({
        emailAddress: address,
        messagesTotal: messages,
        threadsTotal: threads,
        historyId: historyNumber(historyId),
      }),
    ),
  },
  'gmail.messages.list': { decode: (request) => list(request), encode: page<Summary>('messages', gmailItem) },
  'gmail.messages.get': { decode: (request) => read(request, { messageId: request.path.id ?? '' }), encode: message },
  'gmail.messages.send': { decode: (request) => asked(request, [], wholeMessage(bodyOf(request))), encode: head },
  'gmail.messages.modify': {
    decode: (request) => asked(request, [], { messageId: request.path.id ?? '', ...changeOf(bodyOf(request)) }),
    encode: head,
  },
  'gmail.messages.batchModify': {
    decode: (request) => {
      const body = bodyOf(request);
      return asked(request, [], { messageIds: [...new Set(textsIn(body.ids))], ...changeOf(body) });
    },
    encode: nothing(),
  },
  'gmail.messages.trash': { decode: messagePath, encode: head },
  'gmail.messages.untrash': { decode: messagePath, encode: head },
  'gmail.messages.delete': { decode: messagePath, encode: nothing() },
  'gmail.messages.attachments.get': {
    decode: (request) => asked(request, [], { messageId: request.path.messageId ?? '', attachmentId: request.path.id ?? '' }),
    encode: replyWith(gmailAttachment),
  },
  'gmail.threads.list': { decode: (request) => list(request), encode: page<ThreadHead>('threads', gmailThreadItem) },
  'gmail.threads.get': {
    decode: (request) => read(request, { threadId: request.path.id ?? '' }, ['minimal', 'metadata', 'full']),
    encode: replyWith((value: Thread, input) => gmailThread(value, ...formatOf(input))),
  },
  'gmail.threads.modify': {
    decode: (request) => asked(request, [], { threadId: request.path.id ?? '', ...changeOf(bodyOf(request)) }),
    encode: replyWith(threadHead),
  },
  'gmail.threads.trash': { decode: threadPath, encode: replyWith(threadHead) },
  'gmail.threads.untrash': { decode: threadPath, encode: replyWith(threadHead) },
  ...draftRoutes(),
  ...labelRoutes(),
  'gmail.history.list': {
    decode: (request) => {
      const startHistoryId = single(request, 'startHistoryId') ?? '';
      if (!/^[0-9]{1,15}$/.test(startHistoryId)) throw invalid("Invalid value at 'start_history_id'");
      const labelId = single(request, 'labelId');
      return asked(request, ['startHistoryId', 'labelId', 'historyTypes', 'maxResults', 'pageToken'], {
        startHistoryId: Number(startHistoryId),
        labelId: labelId === undefined ? undefined : ownLabel(labelId),
        kinds: kindsOf(request.query.historyTypes),
        limit: pageSize(request, pageMax),
        cursor: single(request, 'pageToken'),
      });
    },
    encode: replyWith(({ items, historyId, nextCursor }: { items: readonly HistoryRow[]; historyId: number; nextCursor?: string }) => ({
      ...(items.length === 0 ? {} : { history: items.map(gmailHistory) }),
      ...(nextCursor === undefined ? {} : { nextPageToken: nextCursor }),
      historyId: String(historyId),
    })),
  },
  'gmail.settings.getVacation': {
    decode: (request) => asked(request, [], {}),
    encode: replyWith((value: Vacation) => gmailVacation(value)),
  },
  'gmail.settings.updateVacation': {
    decode: (request) => asked(request, [], vacationOf(bodyOf(request))),
    encode: replyWith((value: Vacation) => gmailVacation(value)),
  },
};

function threadHead({ id, messages }: Thread): Shown {
  return { id, messages: messages.map(gmailHead) };
}

function draftRoutes(): NonNullable<ToolBehavior['http']> {
  const draft = replyWith((value: Message) => gmailDraft(value, gmailHead(value)));
  return {
    'gmail.drafts.list': {
      decode: (request) => list(request, 'in:drafts'),
      encode: page<Summary>('drafts', (item) => ({ id: item.id, message: gmailItem(item) })),
    },
    'gmail.drafts.get': {
      decode: (request) => read(request, { draftId: request.path.id ?? '' }),
      encode: replyWith((value: Message, input) => gmailDraft(value, gmailMessage(value, ...formatOf(input)))),
    },
    'gmail.drafts.create': { decode: (request) => asked(request, [], wholeMessage(bodyOf(request).message)), encode: draft },
    'gmail.drafts.update': {
      decode: (request) => asked(request, [], { draftId: request.path.id ?? '', ...wholeMessage(bodyOf(request).message) }),
      encode: draft,
    },
    'gmail.drafts.send': {
      decode: (request) => {
        const { id, message: changed } = bodyOf(request);
        if (changed !== undefined && changed !== null) throw unsupported('A draft is updated before it is sent, not with it.');
        return asked(request, [], { draftId: id ?? '' });
      },
      encode: head,
    },
    'gmail.drafts.delete': { decode: draftPath, encode: nothing() },
  };
}

interface ShownLabel {
  id: string;
  name: string;
  system: boolean;
  messages: number;
  unread: number;
  threads?: number;
  unreadThreads?: number;
}

function labelRoutes(): NonNullable<ToolBehavior['http']> {
  const labelPath = (request: HttpRequest): string => ownLabel(request.path.id ?? '');
  const label = replyWith((value: ShownLabel) => labelHead(value), ['LABEL_NOT_FOUND']);
  const rename = {
    decode: (request: HttpRequest) => asked(request, [], { labelId: labelPath(request), ...labelName(bodyOf(request)) }),
    encode: label,
  };
  return {
    'gmail.labels.list': {
      decode: (request) => asked(request, [], {}),
      encode: replyWith(({ items }: { items: readonly ShownLabel[] }) => ({
        labels: [...items.map(labelHead), ...['unread', 'starred'].map((id) => labelHead({ id, name: id, system: true }))],
      })),
    },
    'gmail.labels.get': {
      decode: (request) => asked(request, [], { labelId: labelPath(request) }),
      encode: replyWith(
        (value: ShownLabel) => ({
          ...labelHead(value),
          messagesTotal: value.messages,
          messagesUnread: value.unread,
          threadsTotal: value.threads ?? 0,
          threadsUnread: value.unreadThreads ?? 0,
        }),
        ['LABEL_NOT_FOUND'],
      ),
    },
    'gmail.labels.create': { decode: (request) => asked(request, [], labelName(bodyOf(request))), encode: label },
    'gmail.labels.update': rename,
    'gmail.labels.patch': rename,
    'gmail.labels.delete': {
      decode: (request) => asked(request, [], { labelId: labelPath(request) }),
      encode: nothing(['LABEL_NOT_FOUND']),
    },
  };
}

/** Every label is shown in both lists, as a new one of Gmail is. */
function labelHead({ id, name, system }: Pick<ShownLabel, 'id' | 'name' | 'system'>): Shown {
  const shown = system ? {} : { messageListVisibility: 'show', labelListVisibility: 'labelShow' };
  return { id: gmailLabel(id), name: system ? gmailLabel(name) : name, ...shown, type: system ? 'system' : 'user' };
}

function labelName({ name, messageListVisibility = 'show', labelListVisibility = 'labelShow', color }: Fields): Fields {
  if (messageListVisibility !== 'show' || labelListVisibility !== 'labelShow') throw unsupported('A label here is always shown.');
  if (color !== undefined && color !== null) throw unsupported('A label here has no color.');
  return name === undefined ? {} : { name };
}

const historyKinds: { readonly [type: string]: HistoryRow['kind'] } = {
  messageAdded: 'arrived',
  messageDeleted: 'deleted',
  labelAdded: 'changed',
  labelRemoved: 'changed',
};
function kindsOf(types: readonly string[] | undefined): HistoryRow['kind'][] | undefined {
  if (types === undefined) return undefined;
  return [
    ...new Set(
      types.map((type) => {
        const kind = historyKinds[type];
        if (kind === undefined) throw invalid(`Invalid value at 'history_types': ${type}`);
        return kind;
      }),
    ),
  ];
}
