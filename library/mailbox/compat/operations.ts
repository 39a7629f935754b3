// Gmail's methods as the client has them: its source names the method and the path of each, and of some a second path for uploads.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { VendorOperation } from 'drillyard/compat';

const source = readFileSync(join(dirname(createRequire(import.meta.url).resolve('@googleapis/gmail')), 'v1.js'), 'utf8');
const classes = /class Resource\$([\w$]+) \{(.*?)\n {4}\}\n/gs;
const methods = /\n {8}(\w+)\(paramsOrCallback.*?url: \(rootUrl \+\s*'([^']+)'\).*?method: '(\w+)'(.*?)requiredParams/gs;

export const operations: VendorOperation[] = [...source.matchAll(classes)].flatMap(([, group = '', body = '']) =>
  [...body.matchAll(methods)].flatMap(([, name = '', path = '', method = '', rest = '']) => {
    const id = [...group.split('$').map((part) => part.charAt(0).toLowerCase() + part.slice(1)), name].join('.');
    const [, upload] = /mediaUrl: \(rootUrl \+\s*'([^']+)'\)/.exec(rest) ?? [];
    return [{ id, method, path }, ...(upload === undefined ? [] : [{ id: `${id} by upload`, method, path: upload }])];
  }),
);

const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [
    / by upload$/,
    'messages come in `raw`, which every method for them takes as well; without a `rootUrl` of the call the client sends uploads to Google',
  ],
  [/^users[.](?:watch|stop)$/, 'a mailbox tells receivers of callbacks, not a topic of Pub/Sub'],
  [/^users[.]messages[.](?:import|insert)$/, 'mail comes in by scenarios and correspondents'],
  [/^users[.](?:messages[.]batchDelete|threads[.]delete)$/, 'messages are deleted one by one, or go through trash'],
  [/^users[.]settings[.]delegates/, "delegates stand in the mailbox's row"],
  [/^users[.]settings[.]cse/, 'no encryption by the client'],
  [/^users[.]settings[.]sendas/, 'a mailbox has one address'],
  [/^users[.]settings[.]/, 'of the settings a mailbox has the vacation responder'],
];
const served = [
  /^users[.](?:getProfile|history[.]list|drafts[.]\w+|labels[.]\w+)$/,
  /^users[.]messages[.](?:list|get|send|modify|batchModify|trash|untrash|delete|attachments[.]get)$/,
  /^users[.]threads[.](?:list|get|modify|trash|untrash)$/,
  /^users[.]settings[.](?:get|update)Vacation$/,
];

export const unsupported: { [id: string]: string } = Object.fromEntries(
  operations.flatMap(({ id }) => {
    const reason = served.some((pattern) => pattern.test(id)) ? undefined : reasons.find(([pattern]) => pattern.test(id))?.[1];
    return reason === undefined ? [] : [[id, reason]];
  }),
);
