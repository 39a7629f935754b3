// The mail API of this package, below /mail/v1: how each route's request becomes a call, and its outcome a reply.
import type { JsonValue, ToolBehavior } from 'drillyard/tool-sdk';
import type { Message } from '../mail/model.js';
import type { Thread } from '../mail/threads.js';
import { attachment, json, nothing, shownMessage, shownPage, shownSummary, shownThread, shownVacation } from './reply.js';
import { asked, askedPage, booleanIn, form, jsonObject, ordered, parsedMail, single, text, timeIn, writtenIn } from './request.js';

const asItIs = json((value: JsonValue) => value);
const message = json(shownMessage);

export const routes: NonNullable<ToolBehavior['http']> = {
  'profile.get': { decode: (request) => asked(request, {}), encode: asItIs },
  'messages.list': { decode: askedPage, encode: json(shownPage('messages', shownSummary)) },
  'messages.get': { decode: (request) => asked(request, request.path), encode: message },
  'messages.attachment': { decode: (request) => asked(request, request.path), encode: attachment },
  'messages.send': { decode: (request) => ordered(request, writtenIn(jsonObject(request))), encode: message },
  'messages.submit': {
    decode: (request) => ordered(request, parsedMail(text(request))),
    encode: message,
  },
  'messages.reply': { decode: (request) => ordered(request, { ...writtenIn(jsonObject(request)), ...request.path }), encode: message },
  'messages.reply-all': { decode: (request) => ordered(request, { ...writtenIn(jsonObject(request)), ...request.path }), encode: message },
  'messages.labels': {
    decode: (request) => {
      const { addLabelIds, removeLabelIds, isRead, isStarred, ...rest } = jsonObject(request);
      return ordered(request, { ...rest, ...request.path, addLabelIds, removeLabelIds, read: isRead, starred: isStarred });
    },
    encode: message,
  },
  'messages.trash': { decode: (request) => ordered(request, request.path), encode: message },
  'messages.delete': { decode: (request) => ordered(request, request.path), encode: nothing },
  'threads.list': { decode: askedPage, encode: json(shownPage('threads', shownThread)) },
  'threads.get': {
    decode: (request) => asked(request, request.path),
    encode: json(({ messages, ...head }: Thread) => ({
      ...(shownThread(head) as object),
      messages: messages.map((one: Message) => shownMessage(one)),
    })),
  },
  'labels.list': { decode: (request) => asked(request, {}), encode: json(({ items }: { items: JsonValue }) => ({ labels: items })) },
  'labels.create': { decode: (request) => ordered(request, jsonObject(request)), encode: asItIs },
  'vacation.set': {
    decode: (request) => {
      const { enabled, subject, body, contactsOnly, startDateTime, endDateTime } = form(request);
      return ordered(request, {
        enabled: booleanIn(single(enabled)),
        subject: single(subject),
        body: single(body),
        contactsOnly: booleanIn(single(contactsOnly)),
        fromUs: timeIn(single(startDateTime)),
        untilUs: timeIn(single(endDateTime)),
      });
    },
    encode: json(shownVacation),
  },
};
