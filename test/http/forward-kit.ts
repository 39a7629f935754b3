// Two nodes and more on loopback: the one that is asked forwards to the one that a test names the owner.
import { connect } from 'node:net';
import { after } from 'node:test';
import { behindNodes } from '../../src/http/behind-nodes.js';
import { createForwarder, type ForwarderOptions } from '../../src/http/forward.js';
import { ForwardedBytes } from '../../src/http/forwarded-bytes.js';
import type { ForwardResult } from '../../src/http/forwarding.js';
import type { NodeToken } from '../../src/http/node-token.js';
import { OwnerReach } from '../../src/http/owner-reach.js';
import type { RequestOwner } from '../../src/http/request-owners.js';
import type { HttpHandler, HttpServer, HttpServerOptions } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { engines } from './fake-control.js';

export type Engine = HttpServer['engine'];
/** Each engine at either side. */
export const pairs: [front: Engine, owner: Engine][] = engines.flatMap((front) => engines.map((owner): [Engine, Engine] => [front, owner]));
export const token: NodeToken = { present: () => 'dyn_right', isRight: (given) => given === 'dyn_right' };

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

export interface TestNode {
  url: string;
  port: number;
  close(): Promise<void>;
}
export async function startNode(engine: Engine, handler: HttpHandler, options: Partial<HttpServerOptions> = {}): Promise<TestNode> {
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, closeGraceMs: 50, ...options, engine, handler });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= server.close();
    return closed;
  };
  closing.push(close);
  return { url: `http://127.0.0.1:${server.port}`, port: server.port, close };
}
export const formats = { oldest: 1, newest: 2 };
/** A node whose handler stands behind `behindNodes`. */
export const startOwner = (engine: Engine, handler: HttpHandler): Promise<TestNode> =>
  startNode(engine, behindNodes(token, handler, formats));

/** Whether somebody takes connections there. */
export function takesConnections(address: string): Promise<boolean> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

export interface Front extends TestNode {
  /** Who owns everything from now on. */
  own(owner: RequestOwner | undefined): void;
  results: ForwardResult[];
}
export async function startFront(engine: Engine, owner: RequestOwner | undefined, options: Partial<ForwarderOptions> = {}): Promise<Front> {
  let present = owner;
  let tell = (): void => {};
  let changed = new Promise<void>(() => {});
  const renew = (): void => {
    changed = new Promise<void>((resolve) => {
      tell = resolve;
    });
  };
  renew();
  const results: ForwardResult[] = [];
  const forwarder = createForwarder({
    owners: { ownerOf: () => present, changed: () => changed },
    token,
    format: () => formats.newest,
    own: () => ({ status: 200, body: 'own' }),
    requireHost: () => {},
    meter: { forwarded: (result) => results.push(result) },
    bytes: new ForwardedBytes(),
    reach: new OwnerReach(takesConnections),
    ...options,
  });
  closing.push(forwarder.close);
  const node = await startNode(engine, behindNodes(token, forwarder.handler, formats));
  const own = (next: RequestOwner | undefined): void => {
    present = next;
    const announce = tell;
    renew();
    announce();
  };
  return { ...node, own, results };
}

/** Writes bytes on a connection of its own, and reads until it ends, or until `isEnough`. */
export function raw(port: number, text: string, isEnough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve) => {
    let all = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    const done = (): void => {
      socket.destroy();
      resolve(all);
    };
    socket.setEncoding('latin1').on('data', (piece: string) => {
      all += piece;
      if (isEnough(all)) done();
    });
    socket.on('close', done).on('error', done);
  });
}
