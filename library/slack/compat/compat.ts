// What is shown of this package: @slack/web-api, unchanged, drives every route, and each response is a value of the type that it has there.
import { WebClient } from '@slack/web-api';
import { defineCompat, type RecordedExchange, typeChecker, type VendorOperation } from 'drillyard/compat';
import { driveAll } from './flow.js';

const reads = new Set(
  ['api.test', 'auth.test', 'team.info', 'chat.getPermalink', 'chat.scheduledMessages.list', 'search.messages']
    .concat(['list', 'info', 'history', 'replies', 'members'].map((name) => `conversations.${name}`))
    .concat(['list', 'info', 'lookupByEmail', 'conversations', 'getPresence', 'profile.get'].map((name) => `users.${name}`))
    .concat(['reactions.get', 'reactions.list', 'files.getUploadURLExternal', 'files.info', 'files.list', 'pins.list'])
    .concat(['reminders.info', 'reminders.list']),
);

/** Every method that the client has a function for. */
function methodsOf(value: object, path: readonly string[] = []): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member === 'function') return path.length === 0 ? [] : [[...path, name].join('.')];
    const isGroup = typeof member === 'object' && member !== null && Object.getPrototypeOf(member) === Object.prototype;
    return isGroup ? methodsOf(member as object, [...path, name]) : [];
  });
}
/** Not methods of the API: the client's own logger and options, and an upload that is made of three of them. */
const ownOfClient = /^(?:logger|requestQueue|retryConfig|defaultHeaders)[.]|^files[.]uploadV2$/;
const methods = methodsOf(new WebClient()).filter((method) => !ownOfClient.test(method));

const methodOf = (path: string): string => path.slice('/api/'.length);
const list: VendorOperation[] = methods.flatMap((method) => [
  { id: method, method: 'POST', path: `/api/${method}` },
  ...(reads.has(method) ? [{ id: `${method} by GET`, method: 'GET', path: `/api/${method}` }] : []),
]);

const covered: readonly RegExp[] = [
  /^(?:api|auth)[.]test$/,
  /^team[.]info$/,
  /^conversations[.](?:create|archive|unarchive|rename|list|info|history|replies|join|leave|invite|kick|members|open|mark|setTopic|setPurpose)$/,
  /^chat[.](?:postMessage|postEphemeral|meMessage|update|delete|getPermalink|scheduleMessage|deleteScheduledMessage)$/,
  /^chat[.]scheduledMessages[.]list$/,
  /^reactions[.](?:add|remove|get|list)$/,
  /^users[.](?:list|info|lookupByEmail|conversations|getPresence|setPresence|profile[.](?:get|set))$/,
  /^files[.](?:getUploadURLExternal|completeUploadExternal|info|list|delete)$/,
  /^pins[.](?:add|remove|list)$/,
  /^reminders[.](?:add|complete|delete|info|list)$/,
  /^search[.]messages$/,
];
const reasons: readonly (readonly [prefix: string, reason: string])[] = [
  ['admin.', 'administration of an enterprise'],
  ['apps.', 'administration of apps'],
  ['auth.', 'tokens are those of the world'],
  ['oauth.', 'tokens are those of the world'],
  ['openid.', 'tokens are those of the world'],
  ['tooling.', 'tokens are those of the world'],
  ['assistant.', 'the surface for assistants'],
  ['chat.', 'streaming and unfurling'],
  ['conversations.', 'channels shared between workspaces, and canvases'],
  ['files.', 'older uploads, comments, and files of other services'],
  ['users.', 'photos, identities, and contacts of other workspaces'],
  ['search.', 'search of files'],
];
const reasonOf = (method: string): string => reasons.find(([prefix]) => method.startsWith(prefix))?.[1] ?? 'not modelled yet';

const isCovered = (method: string): boolean => covered.some((pattern) => pattern.test(method));

/** `chat.postMessage` has ChatPostMessageResponse. */
const typeOf = (method: string): string => {
  const words = method.split('.').map((part) => part.charAt(0).toUpperCase() + part.slice(1));
  return `import('@slack/web-api').${words.join('')}Response`;
};
const checkType = typeChecker({
  from: import.meta.url,
  types: Object.fromEntries(list.filter(({ path }) => isCovered(methodOf(path))).map(({ id, path }) => [id, typeOf(methodOf(path))])),
  closed: true,
});

/** Nearly all of them have the status 200. */
function isError({ status, headers, body }: RecordedExchange): boolean {
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return status >= 400 || (isJson && (JSON.parse(body) as { ok?: unknown }).ok === false);
}

/** The files' own host answers with text and bytes; everything else is JSON of the type that the client has for the method. */
function checkResponse(exchange: RecordedExchange): string[] {
  const { path, status, headers, body, operation } = exchange;
  if (path.startsWith('/upload/') || path.startsWith('/files-pri/')) return [];
  if (status === 504 || status === 503 || status === 500) return [];
  const faults = status === 200 || status === 429 ? [] : [`status ${status}`];
  if (status === 429 && !/^\d+$/.test(headers['retry-after'] ?? '')) faults.push('429 without Retry-After');
  const { ok, error } = JSON.parse(body) as { ok?: unknown; error?: unknown };
  if (typeof ok !== 'boolean' || (ok ? error !== undefined : typeof error !== 'string')) faults.push('neither ok nor an error');
  return operation === undefined || ok !== true ? faults : [...faults, ...checkType(exchange)];
}

export default defineCompat({
  clients: ['@slack/web-api'],
  operations: { list },
  unsupported: Object.fromEntries(methods.filter((method) => !isCovered(method)).map((method) => [method, reasonOf(method)])),
  checkResponse,
  isError,
  flow: driveAll,
});
