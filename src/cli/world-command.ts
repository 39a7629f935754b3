// `drillyard world tools|call|wait`: the CLI binding of an agent, over SERVICE_CLI_URL and SERVICE_CLI_TOKEN. Answers are JSON on stdout.
// Kept free of everything else the product can do, as an agent starts it for every call.
import type { Readable } from 'node:stream';
import { type ExitCode, exitCodes } from './exit-codes.js';

export interface WorldCall {
  packageId: string;
  operationId: string;
  /** JSON text; `-` reads it from stdin. */
  args: string;
  instanceId?: string;
  idempotencyKey?: string;
}

export function worldTools(): Promise<ExitCode> {
  return ask('/v1/tools');
}

export async function worldCall({ packageId, operationId, args, instanceId, idempotencyKey }: WorldCall): Promise<ExitCode> {
  const text = args === '-' ? await readAll(process.stdin) : args;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return refuse('control.INVALID_JSON', `The arguments are not JSON: ${(error as Error).message}.`);
  }
  return await ask(`/v1/operations/${encodeURIComponent(packageId)}/${encodeURIComponent(operationId)}`, {
    arguments: parsed,
    instanceId,
    idempotencyKey,
  });
}

export async function worldWait(untilUs: number | undefined): Promise<ExitCode> {
  return await ask('/v1/wait', { untilUs });
}

/** Exit code 0: the tool said ok. 1: it said otherwise, or the world refused. 2: no such binding, or bad usage. */
async function ask(path: string, body?: object): Promise<ExitCode> {
  const { SERVICE_CLI_URL: url, SERVICE_CLI_TOKEN: token } = process.env;
  if (url === undefined || token === undefined)
    return refuse(
      'control.INVALID_REQUEST',
      'SERVICE_CLI_URL and SERVICE_CLI_TOKEN are not set: this command works inside a drill whose target lists the binding cli.',
    );
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return refuse('control.INVALID_REQUEST', 'SERVICE_CLI_URL is not the address of a world.');
  let reply: Reply;
  try {
    reply = await send(url.replace(/\/+$/, '') + path, token, body);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse('control.UNAVAILABLE', `The world does not answer: ${code ?? message}.`);
  }
  const answer = objectIn(reply.text);
  if (answer === undefined)
    return refuse(
      'control.UNAVAILABLE',
      `${url} answered ${reply.status} with something that is not JSON: SERVICE_CLI_URL is not the address of a world.`,
    );
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  if (reply.status !== 200) return reply.status === 400 ? exitCodes.usage : exitCodes.failed;
  const { outcome } = answer;
  return outcome === undefined || (typeof outcome === 'object' && outcome?.kind === 'ok') ? exitCodes.passed : exitCodes.failed;
}

interface Reply {
  status: number;
  text: string;
}
/** Not by fetch, which takes as long to load as all of the rest. */
async function send(url: string, token: string, body: object | undefined): Promise<Reply> {
  const { request } = await (new URL(url).protocol === 'https:' ? import('node:https') : import('node:http'));
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    // `ownWordsHeader` of contract/run/dialect.ts.
    'x-drillyard-words': 'own',
    ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
  };
  return await new Promise((resolve, reject) => {
    const asked = request(url, { method: sent === undefined ? 'GET' : 'POST', headers, agent: false }, (reply) => {
      readAll(reply).then((text) => resolve({ status: reply.statusCode as number, text }), reject);
    });
    asked.on('error', reject).end(sent);
  });
}

function objectIn(text: string): { outcome?: { kind?: string } | null } | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function refuse(code: string, message: string): ExitCode {
  process.stdout.write(`${JSON.stringify({ code, message })}\n`);
  process.stderr.write(`${message}\n`);
  return exitCodes.usage;
}

async function readAll(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk as string;
  return text;
}
