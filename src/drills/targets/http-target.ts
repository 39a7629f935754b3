// An HTTP target: an agent that runs as a service. The invocation is posted to it with what it needs to reach the world; 200 with one JSON
// value is its output, 204 says that it has none. Nothing is asked twice: what an agent did in a world cannot be undone by asking again.
import { limits } from '../../contract/limits.js';
import type { ConnectedInvocation } from '../../contract/run/agent-desk.js';
import { headerFault, urlFault } from '../../contract/run/http-agent.js';
import type { HttpTarget } from '../../contract/run/target.js';
import { validateTargetCompletion } from '../../contract/validate/validators.js';
import { runError } from '../ports/run-error.js';
import { completedRun } from './completion.js';
import { Deadline } from './deadline.js';
import { exchange, type HttpAnswer, type HttpHead, protocolChanged } from './http-exchange.js';
import { failedRun } from './json-command.js';
import { addressRefused } from './loopback-only.js';
import type { Redactor } from './redaction.js';
import type { TargetKind, TargetWork } from './target-kind.js';
import { outputTooLarge, parseOutputBytes } from './target-output.js';
import type { TargetRun } from './target-run.js';

/** Of an answer that is a whole result: status, output, log, attachments. */
const resultType = 'application/vnd.drillyard.result+json';

export function httpTarget(target: HttpTarget, { allowRemote }: { allowRemote: boolean }): TargetKind {
  return { run: (work) => ask(target, work, allowRemote), release: async () => {} };
}

async function ask(target: HttpTarget, work: TargetWork, allowRemote: boolean): Promise<TargetRun> {
  const headers = hostHeaders(target);
  const fault = urlFault(target.url) ?? headersFault(headers);
  if (fault !== undefined) return failed('target.REQUEST_INVALID', fault);
  const url = new URL(target.url);
  const abort = new AbortController();
  const deadline = new Deadline({ ...work, deliver: () => abort.abort() });
  const body: ConnectedInvocation = { ...work.invocation, environment: work.environment };
  const answer = await exchange({
    url,
    method: target.method,
    headers: {
      accept: `application/json, ${resultType}`,
      'accept-encoding': 'identity',
      'user-agent': 'drillyard',
      ...headers,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
    allowRemote,
    bytesMaxOf: (head) => (typeOf(head) === resultType ? limits.completionBytesMax : limits.targetOutputBytesMax),
    signal: abort.signal,
  });
  deadline.stop();
  const { ended } = deadline;
  if (ended !== undefined) return { status: ended, error: deadline.error(), log: '', files: [], refusals: [] };
  return runOf(answer, { url, redactor: work.redactor });
}

/** Host variables that are not set are left out. */
function hostHeaders({ headersFromEnvironment }: HttpTarget): { [name: string]: string } {
  const headers: { [name: string]: string } = {};
  for (const [name, variable] of Object.entries(headersFromEnvironment)) {
    const value = process.env[variable];
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}

function headersFault(headers: { [name: string]: string }): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name);
    if (fault !== undefined) return fault;
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return `The value for the header ${name} has characters that no header may have.`;
  }
  return undefined;
}

function runOf(answer: HttpAnswer, { url, redactor }: { url: URL; redactor: Redactor }): TargetRun {
  if (answer.kind === 'too_large') return failedRun(outputTooLarge());
  if (answer.kind === 'lost') return lost(answer, url);
  const { status, headers, body } = answer;
  if (status === 204) return completed();
  const shown = { status, body: redactor.beginning(body.toString('utf8'), limits.targetErrorCharsMax).text };
  if (status >= 300 && status < 400) {
    const details = { status, location: headers.location ?? null };
    return failedRun(runError('target.REDIRECTED', `The agent answered ${status}: redirects are not followed.`, { details }));
  }
  if (status !== 200) {
    const retryable = status >= 500 || status === 408 || status === 425 || status === 429;
    return failedRun(
      runError('target.HTTP_STATUS', `The agent answered ${status}; 200 and 204 are a success.`, { retryable, details: shown }),
    );
  }
  if (body.length === 0) return completed();
  const type = typeOf(answer);
  if (type === undefined) {
    const details = { ...shown, contentType: headers['content-type'] ?? null, contentEncoding: headers['content-encoding'] ?? null };
    return failedRun(
      runError('target.RESPONSE_TYPE', 'The agent answered with something that does not say it is JSON, in UTF-8 and not encoded.', {
        details,
      }),
    );
  }
  return type === resultType ? resultOf(body, redactor) : outputOf(body, redactor);
}

function outputOf(body: Buffer, redactor: Redactor): TargetRun {
  const output = parseOutputBytes(body, redactor);
  if (output.kind === 'invalid') return failedRun(output.error);
  return { ...completed(), ...(output.kind === 'value' ? { output: output.value } : {}) };
}

function resultOf(body: Buffer, redactor: Redactor): TargetRun {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return failed('target.OUTPUT_INVALID', `The answer says that it is ${resultType}, and is not JSON.`);
  }
  const result = validateTargetCompletion(value);
  if (result.ok) return completedRun(result.value, redactor);
  return failedRun(runError('target.OUTPUT_INVALID', `The answer is no ${resultType}.`, { issues: result.issues }));
}

function lost({ connected, code, message }: HttpAnswer & { kind: 'lost' }, { origin }: URL): TargetRun {
  const details = { code };
  if (code === addressRefused) {
    return failedRun(
      runError('target.ADDRESS_REFUSED', `${message}: an HTTP agent runs on this machine, unless --allow-remote says otherwise.`, {
        details,
      }),
    );
  }
  if (code === protocolChanged || code.startsWith('HPE_'))
    return failedRun(runError('target.RESPONSE_INVALID', `The agent's answer is no HTTP: ${message}.`, { details }));
  const what = connected ? (['target.CONNECTION_LOST', 'broke off'] as const) : (['target.UNREACHABLE', 'cannot be made'] as const);
  const hint = untrusted.has(code) ? ' NODE_EXTRA_CA_CERTS names a file of certificates that are trusted besides.' : '';
  // What OpenSSL says of its own source helps nobody.
  const why = code === 'EPROTO' ? 'it does not answer in TLS that this machine speaks' : message;
  const words = `The connection to the agent at ${origin} ${what[1]}: ${why}.${hint}`;
  return failedRun(runError(what[0], words, { retryable: !untrusted.has(code), details }));
}

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** The media type of an answer that is JSON in UTF-8; undefined for any other. */
function typeOf({ headers }: HttpHead): string | undefined {
  const encoding = headers['content-encoding'] ?? 'identity';
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isUtf8 = parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
  return encoding === 'identity' && isUtf8 && /^application\/([\w.-]+\+)?json$/.test(type) ? type : undefined;
}

function completed(): TargetRun {
  return { status: 'completed', log: '', files: [], refusals: [] };
}

function failed(code: `target.${string}`, message: string): TargetRun {
  return failedRun(runError(code, message));
}
