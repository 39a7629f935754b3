// `drillyard agent next|complete`: the agent's side of an agent desk, for shells. Answers are JSON on stdout. Kept free of everything else
// the product can do, as an agent starts it twice an interaction.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type ExitCode, exitCodes } from './exit-codes.js';

export interface DeskPlace {
  /** Default: SERVICE_AGENT_FILE; without either SERVICE_AGENT_URL and SERVICE_AGENT_TOKEN. */
  file?: string;
}
export interface Completion extends DeskPlace {
  runId: string;
  interactionId: string;
  /** JSON text; `-` reads it from stdin. */
  output?: string;
  /** It failed, and this is why. */
  failed?: string;
  log?: string;
  /** JSON text. */
  usage?: string;
  attach: readonly string[];
}

/** 0: an interaction. 1: none, in the time or for ever. 2: no such desk, or bad usage. */
export async function agentNext({ waitMs, again, ...place }: DeskPlace & { waitMs?: number; again: boolean }): Promise<ExitCode> {
  for (;;) {
    const answer = await ask(place, `/v1/interaction?again=${again}${waitMs === undefined ? '' : `&waitMs=${waitMs}`}`);
    if (answer.kind === 'gone') return tell({ schemaVersion: 1, state: 'ended' }, exitCodes.failed);
    if (answer.kind === 'refused') return answer.code;
    const { state } = answer.body as { state?: string };
    // Without a time it waits for as long as there is a run.
    if (state === 'waiting' && waitMs === undefined) continue;
    return tell(answer.body, state === 'pending' ? exitCodes.passed : exitCodes.failed);
  }
}

/** 0: it is handed in. 1: it was refused, or the run is over. 2: no such desk, or bad usage. */
export async function agentComplete({ runId, interactionId, output, failed, log, usage, attach, ...place }: Completion): Promise<ExitCode> {
  let targetResult: object;
  try {
    targetResult = {
      ...(failed === undefined ? { status: 'completed' } : { status: 'failed', error: { message: failed } }),
      ...(output === undefined ? {} : { output: JSON.parse(output === '-' ? readFileSync(0, 'utf8') : output) as unknown }),
      ...(log === undefined ? {} : { log: readFileSync(log, 'utf8') }),
      ...(usage === undefined ? {} : { usage: JSON.parse(usage) as unknown }),
      ...(attach.length === 0
        ? {}
        : { attachments: attach.map((path) => ({ name: basename(path), base64: readFileSync(path).toString('base64') })) }),
    };
  } catch (error) {
    return refuse('control.INVALID_REQUEST', `The result cannot be read: ${(error as Error).message}.`);
  }
  const answer = await ask(place, '/v1/interaction/complete', { runId, interactionId, targetResult });
  if (answer.kind === 'gone') {
    tell({ code: 'control.UNAVAILABLE', message: 'Nobody listens there: the run has ended.' }, exitCodes.failed);
    return exitCodes.failed;
  }
  return answer.kind === 'refused' ? answer.code : tell(answer.body, exitCodes.passed);
}

type Answer = { kind: 'answer'; body: object } | { kind: 'gone' } | { kind: 'refused'; code: ExitCode };

async function ask(place: DeskPlace, path: string, body?: object): Promise<Answer> {
  const desk = findDesk(place);
  if (typeof desk === 'string') return { kind: 'refused', code: refuse('control.INVALID_REQUEST', desk) };
  let reply: Response;
  try {
    reply = await fetch(desk.url + path, {
      headers: { authorization: `Bearer ${desk.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  } catch {
    return { kind: 'gone' };
  }
  const answer = (await reply.json().catch(() => undefined)) as object | undefined;
  if (typeof answer !== 'object' || answer === null)
    return { kind: 'refused', code: refuse('control.UNAVAILABLE', `${desk.url} is not the address of an agent desk.`) };
  if (reply.ok) return { kind: 'answer', body: answer };
  return { kind: 'refused', code: tell(answer, reply.status === 400 ? exitCodes.usage : exitCodes.failed) };
}

function findDesk({ file = process.env.SERVICE_AGENT_FILE }: DeskPlace): { url: string; token: string } | string {
  const { SERVICE_AGENT_URL: url, SERVICE_AGENT_TOKEN: token } = process.env;
  if (file === undefined) {
    if (url !== undefined && token !== undefined)
      return isUrl(url) ? { url, token } : 'SERVICE_AGENT_URL is not the address of an agent desk.';
    return 'Where is the agent desk? Name the file of `drillyard run --external-file`, in SERVICE_AGENT_FILE or with --file, or set SERVICE_AGENT_URL and SERVICE_AGENT_TOKEN.';
  }
  try {
    const { url: written, token: secret } = (JSON.parse(readFileSync(file, 'utf8')) ?? {}) as { url?: unknown; token?: unknown };
    if (typeof written === 'string' && isUrl(written) && typeof secret === 'string') return { url: written, token: secret };
    return `${file} is not the file of an agent desk: it has no url and token of one.`;
  } catch (error) {
    return `The agent desk's file cannot be read: ${(error as Error).message}.`;
  }
}

const isUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

function tell(answer: object, code: ExitCode): ExitCode {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  return code;
}

function refuse(code: string, message: string): ExitCode {
  process.stderr.write(`${message}\n`);
  return tell({ code, message }, exitCodes.usage);
}
