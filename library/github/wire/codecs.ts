// GitHub's API on the wire: members of path, query and body are the arguments, lists have their pages in `Link`, errors are
// `{message, documentation_url, errors?, status}`, and every answer says what is left of the rate limit.
import type { EncodeInput, HttpRequest, JsonValue, WireReply } from 'drillyard/tool-sdk';
import { ToolFailure } from 'drillyard/tool-sdk';
import { argumentWords } from './argument-words.js';
import { askedForm, formOf, mediaHeaders } from './media-types.js';

type Members = { readonly [name: string]: JsonValue };

export const codecs = { decode, encode };

const documentation = 'https://docs.github.com/rest';
const secondaryLimits = `${documentation}/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits`;
const api = 'https://api.github.com';
const integers = /^(?:page|per_page|.*_number|.*_id)$/;
const pages = new Set(['page', 'per_page']);

function decode(request: HttpRequest) {
  const { path, query, body } = request;
  const asked: { [name: string]: JsonValue } = {};
  for (const [name, values] of Object.entries(query)) {
    const value = readQuery(name, values.at(-1) ?? '');
    // GitHub reads no page in what is no number.
    if (!(pages.has(name) && typeof value === 'string')) asked[name] = value;
  }
  const named = Object.fromEntries(Object.entries(path).map(([name, text]) => [name, readQuery(name, text)]));
  return { arguments: { ...asked, ...bodyOf(body), ...named, ...askedForm(request) } };
}

function readQuery(name: string, text: string): JsonValue {
  if (integers.test(name) && /^-?\d{1,15}$/.test(text)) return Number(text);
  return name === 'protected' && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

/** Labels may come as a bare list, as GitHub's older clients send them. */
function bodyOf(body: HttpRequest['body']): Members {
  if (body.kind !== 'json') return {};
  if (Array.isArray(body.value)) return { labels: body.value };
  if (isRecord(body.value)) return body.value;
  throw new ToolFailure({ code: 'BODY_INVALID', message: 'Body should be a JSON object' });
}

function isRecord(value: JsonValue): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function encode(input: EncodeInput): WireReply {
  const { outcome, baseUrl } = input;
  if (outcome.kind !== 'ok') return refusalOf(input, outcome.error);
  const headers = headersOf(input);
  if (outcome.value === null) return { headers, body: { kind: 'empty' } };
  const form = formOf(input, outcome.value);
  if (form !== undefined) return { ...form, headers: { ...headers, ...form.headers } };
  const { value, total, status } = shownValue(input, outcome.value);
  const link = total === undefined ? undefined : linkOf(input, total);
  const body = { kind: 'json', value: withBase(value, baseUrl) } as const;
  return { ...(status === undefined ? {} : { status }), headers: link === undefined ? headers : { ...headers, link }, body };
}

interface Shown {
  value: JsonValue;
  /** Of one page of a list: how many there are on all pages. */
  total?: number;
  status?: number;
}

/** Operations say how many there are and whether a file was made; on the wire that is a header and a status. */
function shownValue({ invocation }: EncodeInput, value: JsonValue): Shown {
  if (!isRecord(value)) return { value };
  if (invocation.operationId === 'repos.create-or-update-file-contents') {
    const { created, ...rest } = value;
    return { value: rest, status: created === true ? 201 : 200 };
  }
  const total = value.total_count;
  if (typeof total !== 'number') return { value };
  const { items } = value;
  if (Object.keys(value).length !== 2 || !Array.isArray(items)) return { value, total };
  // A list that has everything has no other pages, whatever size of a page was asked for.
  return items.length === total ? { value: items } : { value: items, total };
}

function linkOf({ invocation, request, baseUrl }: EncodeInput, total: number): string | undefined {
  const given = isRecord(invocation.arguments) ? invocation.arguments : {};
  const size = Math.min(100, Math.max(1, numberOr(given.per_page, 30)));
  const page = Math.max(1, numberOr(given.page, 1));
  const last = Math.ceil(total / size);
  const to = (number: number, rel: string): string => {
    const query = Object.entries({ ...request.query, page: [String(number)] });
    const pairs = query.flatMap(([name, values]) => values.map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`));
    return `<${baseUrl}${request.pathname}?${pairs.join('&')}>; rel="${rel}"`;
  };
  const back = page > 1 ? [to(Math.max(1, Math.min(page - 1, last)), 'prev')] : [];
  const forth = page < last ? [to(page + 1, 'next'), to(last, 'last')] : [];
  const links = [...back, ...forth, ...(page > 1 ? [to(1, 'first')] : [])];
  return links.length === 0 ? undefined : links.join(', ');
}

const numberOr = (value: JsonValue | undefined, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

function headersOf(input: EncodeInput): { [name: string]: string } {
  const { rateLimit, outcome } = input;
  const media = { ...mediaHeaders(input), 'x-github-api-version-selected': '2022-11-28' };
  if (rateLimit === undefined) return media;
  const { limit, calls, windowEndUs } = rateLimit;
  const resetAtUs = exhaustedUntil(outcome);
  const used = resetAtUs === undefined ? Math.min(calls, limit) : limit;
  return {
    ...media,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(limit - used),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(Math.ceil((resetAtUs ?? windowEndUs) / 1_000_000)),
    'x-ratelimit-resource': rateLimit.id,
  };
}

/** When an account that has nothing left may ask again. */
function exhaustedUntil(outcome: EncodeInput['outcome']): number | undefined {
  if (outcome.kind === 'ok' || outcome.error.code !== 'RATE_LIMITED') return undefined;
  const { details = null } = outcome.error as { details?: JsonValue };
  return isRecord(details) && typeof details.resetAtUs === 'number' ? details.resetAtUs : undefined;
}

const secondsToWait = '60';

/** The manifest says the same of every route; the body repeats it. What is not here fails as a server does. */
const statuses: { readonly [code: string]: number } = {
  NOT_FOUND: 404,
  FORBIDDEN: 403,
  NOT_GRANTED: 403,
  TOOL_CALL_BUDGET_EXHAUSTED: 403,
  VALIDATION_FAILED: 422,
  INVALID_ARGUMENTS: 422,
  CONFLICT: 409,
  NOT_MERGEABLE: 405,
  SECONDARY_RATE_LIMITED: 403,
  RATE_LIMITED: 403,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
};

type Failure = { readonly code: string; readonly message: string; readonly details?: JsonValue };

const numbers = new Set(['issue_number', 'pull_number', 'comment_id', 'review_id', 'check_run_id']);

/** A word where a number stands in a path: some other path of GitHub's, such as `issues/events`, which is not served here. */
function isOtherPath({ invocation }: EncodeInput, { code }: Failure): boolean {
  const given = isRecord(invocation.arguments) ? invocation.arguments : {};
  return code === 'INVALID_ARGUMENTS' && Object.entries(given).some(([name, value]) => numbers.has(name) && typeof value === 'string');
}

function refusalOf(input: EncodeInput, failure: Failure): WireReply {
  if (isOtherPath(input, failure)) {
    const value = { message: 'Not Found', documentation_url: documentation, status: '404' };
    return { status: 404, headers: { ...headersOf(input), 'x-drillyard-unsupported': '1' }, body: { kind: 'json', value } };
  }
  const { code, message, details = null } = failure;
  const errors = isRecord(details) ? details.errors : undefined;
  const waits = code === 'SECONDARY_RATE_LIMITED' || code === 'SERVICE_UNAVAILABLE';
  return {
    headers: { ...headersOf(input), ...(waits ? { 'retry-after': secondsToWait } : {}) },
    body: {
      kind: 'json',
      value: {
        message: code === 'INVALID_ARGUMENTS' ? argumentWords(details, message, input.invocation.arguments) : wordsOf(code, message),
        ...(errors === undefined ? {} : { errors }),
        documentation_url: code === 'SECONDARY_RATE_LIMITED' ? secondaryLimits : documentation,
        status: String(statuses[code] ?? 500),
      },
    },
  };
}

function wordsOf(code: string, message: string): string {
  return code === 'NOT_GRANTED' ? 'Resource not accessible by personal access token' : message;
}

/** Addresses of the API lead to the client's own base URL; what people have written stays as it is. */
function withBase(value: JsonValue, baseUrl: string, name = ''): JsonValue {
  if (typeof value === 'string')
    return /(?:^|_)(?:url|href|self|git)$/.test(name) && value.startsWith(api) ? baseUrl + value.slice(api.length) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => withBase(item, baseUrl, name));
  return Object.fromEntries(Object.entries(value as Members).map(([member, one]) => [member, withBase(one, baseUrl, member)]));
}
