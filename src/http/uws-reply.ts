// One reply on uWebSockets.js.
//   UWS-REPLY-1. A response object is touched only while it is alive: after an abort or its end, never again.
//   UWS-REPLY-2. No more of a reply than the system takes is handed over, so a client that does not read costs one reply and no copy. While
//     a reply is not whole, the binary closes the connection at the next request on it.
import type { HttpReply } from './server.js';
import { statusReasons } from './status-reasons.js';
import type { UwsResponse } from './uws-binary.js';
import type { IdleTimer } from './uws-idle-timer.js';

/** What a reply needs to know of its request. */
export interface UwsExchange {
  /** The response object is dead. */
  readonly over: boolean;
  /** From here on it is. */
  end(): void;
  /** Called once, when the client goes away. */
  whenGone: (() => void) | undefined;
  readonly idle: IdleTimer;
}

/** Within or outside of the request's callback. */
export function writeReply(response: UwsResponse, exchange: UwsExchange, { status, headers, body = '' }: HttpReply): void {
  const bytes = sizeOf(body);
  response.cork(() => {
    writeHeaders(response, status, headers);
    // A reply of no length is over when it is begun.
    if (bytes === 0) {
      exchange.end();
      response.end('', false);
      return;
    }
    const [, isWhole] = response.tryEnd(body, bytes);
    if (isWhole) {
      exchange.end();
      return;
    }
    const all = typeof body === 'string' ? Buffer.from(body) : body;
    response.onWritable((offset) => {
      const [isTaken, isWholeNow] = response.tryEnd(all.subarray(offset), bytes);
      if (isWholeNow) exchange.end();
      return isTaken;
    });
    exchange.idle.boundStall();
  });
}

/** The last one of its connection. Outside of the request's callback: within it, the requests behind would still be answered. */
export function writeLastReply(response: UwsResponse, exchange: UwsExchange, { status, headers, body = '' }: HttpReply): void {
  response.cork(() => {
    writeHeaders(response, status, headers);
    exchange.end();
    response.end(body, true);
  });
}

/**
 * endWithoutBody leaves its connection unusable in some versions; a reply that is begun and closed is right in all of them. Outside of the
 * request's callback, whose buffer a close would throw away.
 */
export function writeHeadReply(response: UwsResponse, exchange: UwsExchange, { status, headers, body = '', streamBytes }: HttpReply): void {
  const bytes = streamBytes ?? sizeOf(body);
  if (bytes === 0) {
    writeLastReply(response, exchange, headers === undefined ? { status } : { status, headers });
    return;
  }
  response.cork(() => {
    writeHeaders(response, status, { ...headers, connection: 'close' });
    response.tryEnd('', bytes);
  });
  exchange.end();
  response.close();
}

/** Until the stream or the client ends. The next piece is asked for when the client has taken the one before. */
export async function writePieces(
  response: UwsResponse,
  exchange: UwsExchange,
  { status, headers, stream }: HttpReply & Required<Pick<HttpReply, 'stream'>>,
): Promise<void> {
  let writable = (): void => {};
  exchange.whenGone = () => writable();
  response.onWritable(() => {
    writable();
    return true;
  });
  response.cork(() => {
    writeHeaders(response, status, headers);
    response.write('');
  });
  for await (const piece of stream) {
    if (exchange.over) return;
    let isTaken = true;
    response.cork(() => {
      isTaken = response.write(piece);
    });
    if (isTaken) continue;
    await new Promise<void>((resolve) => {
      writable = resolve;
    });
  }
}

/** The same for a stream that leaves with its length. It ends the reply with its last byte; a shorter one leaves it open. */
export async function writeSizedPieces(
  response: UwsResponse,
  exchange: UwsExchange,
  { status, headers, stream, streamBytes = 0 }: HttpReply & Required<Pick<HttpReply, 'stream'>>,
): Promise<void> {
  let writable = (): void => {};
  let piece: Uint8Array = new Uint8Array();
  /** Of the reply, where the piece begins. */
  let from = 0;
  const isTaken = (offset: number): boolean => {
    let result: [boolean, boolean] = [false, false];
    response.cork(() => {
      result = response.tryEnd(piece.subarray(offset - from), streamBytes);
    });
    if (result[1]) exchange.end();
    return result[0];
  };
  exchange.whenGone = () => writable();
  // Once for all pieces: the binary puts a handler that was set within another's call back to the other.
  response.onWritable((offset) => {
    const isDone = isTaken(offset);
    if (isDone || exchange.over) writable();
    return isDone;
  });
  response.cork(() => writeHeaders(response, status, headers));
  for await (const next of stream) {
    if (exchange.over) return;
    piece = typeof next === 'string' ? Buffer.from(next) : next;
    from = response.getWriteOffset();
    if (isTaken(from) || exchange.over) continue;
    await new Promise<void>((resolve) => {
      writable = resolve;
    });
  }
}

function writeHeaders(response: UwsResponse, status: number, headers: HttpReply['headers']): void {
  response.writeStatus(`${status} ${statusReasons[status] ?? 'Status'}`);
  for (const name in headers) response.writeHeader(name, headers[name] as string);
}

function sizeOf(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}
