// Which server answers: uWebSockets.js where its native binary loads on this Node, node:http everywhere else.
import { startNodeServer } from './node-server.js';
import type { HttpServer, HttpServerOptions } from './server.js';
import { loadUws, startUwsServer } from './uws-server.js';

export interface StartHttpServerOptions extends HttpServerOptions {
  /** Default: the faster one that is there. Asking for uWebSockets.js where it cannot load is an error. */
  engine?: HttpServer['engine'];
}

export async function startHttpServer({ engine, ...options }: StartHttpServerOptions): Promise<HttpServer> {
  if (engine === 'node:http') return startNodeServer(options);
  const uws = loadUws();
  if (uws !== undefined) return startUwsServer(options, uws);
  if (engine === 'uWebSockets.js') throw new Error('uWebSockets.js has no binary that loads on this Node.js. Choose node:http');
  return startNodeServer(options);
}
