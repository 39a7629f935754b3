// Which server answers: uWebSockets.js where its native binary loads on this Node, node:http everywhere else.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ServiceError } from '../contract/errors.js';
import { startNodeServer } from './node-server.js';
import type { HttpServer, HttpServerOptions } from './server.js';
import { loadUws } from './uws-binary.js';
import { readsRequestsWhole } from './uws-probe.js';
import { startUwsServer } from './uws-server.js';

/** A header name that uWebSockets.js takes, too: it never answers a request with another one. */
export const commonHeaderName = /^[0-9A-Za-z-]+$/;

export interface StartHttpServerOptions extends HttpServerOptions {
  /** Default: the faster one that is there. Asking for uWebSockets.js where it cannot load is an error. */
  engine?: HttpServer['engine'];
  /** Others may reach it: unless it is asked for, a server that reads a request otherwise than it came is not taken. */
  isForStrangers?: boolean;
}

/** Rejects with control.UNAVAILABLE, and what to do, where nothing can listen. */
export async function startHttpServer({ engine, isForStrangers = false, ...options }: StartHttpServerOptions): Promise<HttpServer> {
  try {
    return await startEngine(engine ?? (isForStrangers && !(await readsWhole()) ? 'node:http' : undefined), options);
  } catch (error) {
    throw new ServiceError('control.UNAVAILABLE', { message: await whyNotListening(options, error), cause: error });
  }
}

async function readsWhole(): Promise<boolean> {
  const build = loadUws();
  return build === undefined || (await readsRequestsWhole(build.uws));
}

async function startEngine(engine: HttpServer['engine'] | undefined, options: HttpServerOptions): Promise<HttpServer> {
  if (engine === 'node:http') return startNodeServer(options);
  const uws = loadUws();
  if (uws !== undefined) return startUwsServer(options, uws);
  if (engine === 'uWebSockets.js') throw new Error('uWebSockets.js has no binary that loads on this Node.js. Choose node:http');
  return startNodeServer(options);
}

const listenFaults: { [code: string]: string } = {
  EADDRINUSE: 'another program has that port. Stop it, or choose another port (0: any that is free)',
  EACCES: 'this user may not use that port. Choose one above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address. Choose one of its own, such as 127.0.0.1',
  ENOTFOUND: 'no such host is known. Choose an address of this machine, such as 127.0.0.1',
};

/** uWebSockets.js does not tell; the system does, when it is asked once more. */
async function whyNotListening({ host, port }: HttpServerOptions, error: unknown): Promise<string> {
  const asked = createServer().listen({ host, port, exclusive: true });
  const code = await once(asked, 'listening').then(
    () => undefined,
    (fault: NodeJS.ErrnoException) => fault.code,
  );
  asked.close();
  const known = code === undefined ? undefined : listenFaults[code];
  return `Cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}: ${known ?? code ?? (error as Error).message}.`;
}
