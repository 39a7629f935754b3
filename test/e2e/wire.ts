// One HTTP request exactly as it is written: unlike fetch, this neither tidies the path nor picks headers, and it gives up in time.
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

export interface Sent {
  method: string;
  /** With its query, as it goes on the wire. */
  target: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
}
export interface Received {
  status: number;
  headers: { readonly [name: string]: string | string[] | undefined };
  bytes: Buffer;
  /** Of a JSON reply; undefined of any other. */
  json: Body | undefined;
}
export type Body = { [name: string]: unknown };

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const deadlineMs = 20_000;

/** Rejects when there is no reply within the deadline. */
export function exchange(baseUrl: string, { method, target, headers = {}, body }: Sent): Promise<Received> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: target, headers: lengthOf(headers, body), agent }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.once('error', reject);
      reply.once('end', () => {
        clearTimeout(timer);
        const bytes = Buffer.concat(chunks);
        const isJson = bytes.length > 0 && String(reply.headers['content-type']).startsWith('application/json');
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          bytes,
          json: isJson ? (JSON.parse(bytes.toString()) as Body) : undefined,
        });
      });
    });
    const timer = setTimeout(
      () => sent.destroy(new Error(`no reply within ${deadlineMs} ms: ${method} ${target.slice(0, 200)}`)),
      deadlineMs,
    );
    sent.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    sent.end(body);
  });
}

function lengthOf(headers: OutgoingHttpHeaders, body: Sent['body']): OutgoingHttpHeaders {
  const own = Object.keys(headers).some((name) => /^(content-length|transfer-encoding)$/i.test(name));
  return body === undefined || own ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
}

let keys = 0;
export const newKey = (): string => `e2e-${process.pid}-${++keys}`;
