// A client that costs little beside the server it measures: one keep-alive connection, one request at a time, JSON both ways. It reads only
// what this server sends: a status line and a body with a length.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface WireReply {
  status: number;
  body: unknown;
}
interface Waiting {
  resolve(reply: WireReply): void;
  reject(error: Error): void;
}
const headEnd = Buffer.from('\r\n\r\n');

export class Wire {
  readonly #socket: Socket;
  readonly #host: string;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;

  static async connect(origin: string): Promise<Wire> {
    const { hostname, port, host } = new URL(origin);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new Wire(socket, host);
  }

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')));
  }

  request(method: string, target: string, bearer: string, body?: object, idempotencyKey?: string): Promise<WireReply> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const key = idempotencyKey === undefined ? '' : `Idempotency-Key: ${idempotencyKey}\r\n`;
    const type = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(
        `${method} ${target} HTTP/1.1\r\nHost: ${this.#host}\r\nAuthorization: Bearer ${bearer}\r\n${key}${type}\r\n${text}`,
      );
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return;
    const head = this.#received.toString('latin1', 0, end);
    const bodyAt = end + headEnd.length;
    const bodyEnd = bodyAt + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < bodyEnd) return;
    const text = this.#received.toString('utf8', bodyAt, bodyEnd);
    this.#received = this.#received.subarray(bodyEnd);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(head.slice(9, 12)), body: text === '' ? undefined : JSON.parse(text) });
  }
}
