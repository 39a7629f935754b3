// An outcome in the other runner's words: a status, and an error with an area. Pure: it is bundled into behaviors, too.
import type { JsonObject, JsonValue } from '../contract/json.js';

interface OwnError {
  code: string;
  message: string;
  retryable: boolean;
  details?: JsonValue;
}
/** As contract/world/evidence.ts has it. */
export type OwnOutcome = { kind: 'ok'; value: JsonValue } | { kind: 'denied' | 'tool_error' | 'unsupported' | 'invalid'; error: OwnError };

export function otherOutcome(outcome: OwnOutcome, correlationId?: string): JsonObject {
  if (outcome.kind === 'ok') return { status: 'ok', value: outcome.value };
  return { status: outcome.kind, error: otherError(outcome.error, { source: sourceOf(outcome), correlationId }) };
}

/** What the tool has declared, or a fault of its own, is the tool's; all else is the runner's. */
function sourceOf({ kind, error: { code } }: Exclude<OwnOutcome, { kind: 'ok' }>): string {
  const isRunners = kind !== 'tool_error' || code === 'HANDLER_FAILED' || code === 'BOUND_EXCEEDED' || code === 'UNDECLARED_ERROR';
  return isRunners ? 'framework' : 'tool';
}

export function otherError(
  { code, message, retryable, details }: OwnError,
  { source, correlationId }: { source: string; correlationId?: string | undefined },
): JsonObject {
  const listed = issuesIn(details);
  return {
    schemaVersion: 1,
    code: `${source}.${code}`,
    source,
    message,
    retryable,
    issues: listed.map(({ path, ...issue }) => ({ ...issue, path: pathOf(path) })),
    ...(correlationId === undefined ? {} : { correlationId }),
    details: detailsOf(details),
  };
}

interface ListedIssue {
  path: string;
  [name: string]: JsonValue;
}
function issuesIn(details: JsonValue | undefined): ListedIssue[] {
  const issues = isObject(details) ? details.issues : undefined;
  return Array.isArray(issues) ? issues.filter((issue): issue is ListedIssue => isObject(issue) && typeof issue.path === 'string') : [];
}

function detailsOf(details: JsonValue | undefined): JsonObject {
  if (details === undefined) return {};
  if (!isObject(details)) return { value: details };
  return issuesIn(details).length === 0 ? details : Object.fromEntries(Object.entries(details).filter(([name]) => name !== 'issues'));
}

/** A JSON Pointer as a list of names and positions. */
function pathOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((name) => (/^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : name));
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
