// A hosted world with several mounts of wire routes, and clients that ask for one of them by its host name.
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import Stripe from 'stripe';
import type { Client } from '../../src/client/client.js';
import type { AccessBundle } from '../../src/contract/hosted/sessions.js';
import { publish } from './publish.js';

const fixture = new URL('../../../test/fixtures/mounts/', import.meta.url);

/** Access to a world of the fixture: two vendors with one route, and two accounts of one of them. */
export async function accessToFixture(client: Client): Promise<AccessBundle> {
  const folder = readdirSync(new URL('drillyard', fixture)).map((name) => `drillyard/${name}`);
  const files = ['drillyard.json', ...folder].map((path) => ({ path, content: readFileSync(new URL(path, fixture), 'utf8') }));
  const { projectId, environmentId } = await publish(client, 'mounts', files);
  const made = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await client.waitForOperation({ projectId, operationId: made.operation.operationId });
  const path = { projectId, sessionId: made.session.sessionId };
  return (await client.createSessionAccess({ path, body: { actorId: 'agent' } })).access;
}

/** `at`: the service, where it is not what the URL's name and port lead to. */
export interface Asked {
  at?: string;
  token?: string;
  host?: string;
  body?: object;
}
/** Names below localhost lead to this machine, whatever its resolver says. */
export function askHost(
  url: string,
  { at: service, token, host, body }: Asked = {},
): Promise<{ status: number; body: { [name: string]: unknown } }> {
  const at = new URL(url);
  const headers = {
    host: host ?? at.host,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const { port } = new URL(service ?? url);
    const sent = request({ host: '127.0.0.1', port, path: at.pathname, method, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: JSON.parse(text === '' ? '{}' : text) as object as never }));
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Stripe's client at the host name of a mount. `at`: as above. */
export function stripeAt(hostUrl: string, token: string, at: string = hostUrl): Stripe {
  const { hostname: host } = new URL(hostUrl);
  const { port } = new URL(at);
  return new Stripe(token, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0, httpAgent: toThisMachine });
}
const toThisMachine = new Agent({
  lookup: (_name, options, done) => (options.all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)),
});
