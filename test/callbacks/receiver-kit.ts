// A receiver on a port of its own, which remembers what came and answers as a test says.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
/** A number, or a promise of one, is the status; without one it answers by itself, or never. */
type Answer = (arrival: Arrival, response: ServerResponse, request: IncomingMessage) => unknown;

export interface TestReceiver {
  url: string;
  secret: string;
  arrivals: Arrival[];
  answer: Answer;
  close(): Promise<void>;
}

export async function startReceiver(answer: Answer = () => 204): Promise<TestReceiver> {
  const receiver: TestReceiver = { url: '', secret: 'a secret of this receiver', arrivals: [], answer, close: async () => {} };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const arrival = { method: request.method!, path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() };
    receiver.arrivals.push(arrival);
    const status = await receiver.answer(arrival, response, request);
    if (typeof status === 'number') response.writeHead(status).end('thanks');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  receiver.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return receiver;
}
