// A program: a client of a service behind a proxy, which trusts the authority of NODE_EXTRA_CA_CERTS. Its argument is a `Journey`; it
// prints a
// `Travelled`, a line of JSON.
import { createHash } from 'node:crypto';
import { request } from 'node:https';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Client, createClient } from '../../src/client/client.js';
import type { Ready } from './service.js';

export interface Journey {
  /** Of the proxy. */
  url: string;
  ready: Required<Pick<Ready, 'projectId' | 'environmentId' | 'credential'>>;
  /** Of a world whose clock ticks at each microsecond. */
  ticking: { projectId: string; environmentId: string };
  /** Of an attachment. */
  bytes: number;
}
export interface Travelled {
  organizationId: string;
  attachment: { bytes: number; isSame: boolean };
  /**
   * Of waits that were reported in events: whether progress came before the result of one, the last event, and how far the clock is then.
   */
  wait: { isProgressFirst: boolean; lastEvent: string; isWhole: boolean };
  mcp: { server: string | undefined; tools: string[]; outcome: unknown };
  /** Of requests from another address of this machine, with headers of forwarding that a client has written. */
  elsewhere: { [path: string]: { status: number; correlationId: string | undefined } };
}

async function travel({ url, ready, ticking, bytes }: Journey): Promise<Travelled> {
  const client = createClient({ baseUrl: url, credential: ready.credential, retries: 0 });
  const { organization } = await client.getMe();
  return {
    organizationId: organization.organizationId,
    attachment: await upload(client, ready, bytes),
    wait: await waitInEvents(client, { url, ...ticking }),
    mcp: await speakMcp(client, { url, ...ready }),
    elsewhere: {
      '/v1/me': await askElsewhere(url, '/v1/me', ready.credential),
      '/metrics': await askElsewhere(url, '/metrics', ready.credential),
      '/v1/operator/organizations': await askElsewhere(url, '/v1/operator/organizations', ready.credential),
    },
  };
}

interface Place {
  projectId: string;
  environmentId: string;
}
async function sessionOf(client: Client, { projectId, environmentId }: Place, drillId?: string) {
  const body = { seed: '7', ...(drillId === undefined ? {} : { drillId }) };
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  return (await client.getSession({ path: { projectId, sessionId: session.sessionId } })).session;
}

async function upload(client: Client, place: Place, size: number): Promise<Travelled['attachment']> {
  const { projectId } = place;
  const { sessionId, leaseGeneration } = await sessionOf(client, place, 'refund-happy-path');
  const { run } = await client.startRun({
    path: { ...place, sessionId },
    body: { expectedLeaseGeneration: leaseGeneration, timeoutMs: 600_000 },
  });
  const content = Buffer.alloc(size, 'drillyard ');
  const hash = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const path = { projectId, hostedRunId: run.hostedRunId };
  const { attachment } = await client.beginAttachment({
    path,
    body: { kind: 'log', name: 'log.txt', mediaType: 'text/plain', bytes: size, hash },
  });
  const at = { ...path, attachmentId: attachment.attachmentId };
  await client.putAttachmentContent({ path: at, body: content });
  const { descriptor } = await client.completeAttachment({ path: at, body: {} });
  return { bytes: descriptor.bytes, isSame: descriptor.hash === hash };
}

/** The URL of an access is that of the service's public URL, which is of another proxy perhaps. */
const atProxy = (given: string, { url }: { url: string }): string => given.replace(new URL(given).origin, url);

async function waitInEvents(client: Client, place: Place & { url: string }): Promise<Travelled['wait']> {
  const { projectId } = place;
  const { sessionId } = await sessionOf(client, place);
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId }, body: { actorId: 'ann' } });
  // This process may stand still while the whole of a wait passes; it does not do so each time.
  let seen = await waitOnce(atProxy(access.worldHttpUrl, place), access.credential, 30_000);
  for (let n = 2; n <= 5 && !seen.isProgressFirst; n++)
    seen = await waitOnce(atProxy(access.worldHttpUrl, place), access.credential, n * 30_000);
  return seen;
}

async function waitOnce(worldUrl: string, credential: string, untilUs: number): Promise<Travelled['wait']> {
  const reply = await fetch(`${worldUrl}/v1/wait`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ untilUs }),
  });
  if (reply.status !== 200 || reply.body === null) throw new Error(`${reply.status} ${await reply.text()}`);
  const pieces: string[] = [];
  for await (const piece of reply.body.pipeThrough(new TextDecoderStream())) pieces.push(piece);
  const last = pieces.join('').trim().split('\n\n').at(-1) ?? '';
  const { virtualTimeUs } = JSON.parse(last.replace(/^event: \w+\ndata: /, '')) as { virtualTimeUs: number };
  return {
    isProgressFirst: pieces[0]?.includes('event: progress') === true && !pieces[0].includes('event: result'),
    lastEvent: /^event: (\w+)/.exec(last)?.[1] ?? '',
    isWhole: virtualTimeUs === untilUs,
  };
}

async function speakMcp(client: Client, place: Place & { url: string }): Promise<Travelled['mcp']> {
  const { projectId } = place;
  const { sessionId } = await sessionOf(client, place);
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId }, body: { actorId: 'support-agent' } });
  const mcp = new McpClient({ name: 'test', version: '1.0.0' });
  const url = new URL(atProxy(access.worldMcpUrl, place));
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${access.credential}` } } });
  // The package's own types disagree under exactOptionalPropertyTypes.
  await mcp.connect(transport as unknown as Parameters<McpClient['connect']>[0]);
  const { tools } = await mcp.listTools();
  const { structuredContent } = await mcp.callTool({
    name: 'ticket-desk.comment.add',
    arguments: { ticketId: 'TKT-1001', body: 'By the proxy.' },
  });
  await mcp.close();
  return { server: mcp.getServerVersion()?.name, tools: tools.map(({ name }) => name), outcome: structuredContent };
}

function askElsewhere(url: string, path: string, credential: string): Promise<{ status: number; correlationId: string | undefined }> {
  const headers = { authorization: `Bearer ${credential}`, 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6;by="' };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { headers, localAddress: '127.0.0.2', family: 4, agent: false }, (reply) => {
      reply.resume().on('end', () => {
        resolve({ status: reply.statusCode ?? 0, correlationId: reply.headers['x-correlation-id'] as string | undefined });
      });
    });
    asked.on('error', reject).end();
  });
}

const [, , journey] = process.argv;
if (journey !== undefined) console.log(JSON.stringify(await travel(JSON.parse(journey) as Journey)));
