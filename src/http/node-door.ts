// What the nodes of a cluster ask each other, on the listener of each, behind the token of nodes (behind-nodes.ts): one route, JSON either
// way. A reply is one line, or lines of progress and then that one.
//   NODE-DOOR-1. Nobody but a node with the right token is answered by it, and that for itself: to anybody else, also to a client whose
//     request a node sends on with its token, the path does not exist.
import { type ErrorFrame, errorFromFrame, errorToFrame, isServiceError, orUnavailable, ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { hiddenRefusal } from '../contract/stored-damage.js';
import type { AdvanceProgress } from '../contract/world/world-protocol.js';
import type { AskOptions, WorldAsk } from '../control/memory/world-asks.js';
import type { OwnerReport } from '../control/owner-report.js';
import { errorReply } from './envelope.js';
import { nodeHeaders } from './node-token.js';
import type { HttpHandler, HttpReply, ServerRequest } from './server.js';

export const nodePath = '/node';

/** `catalog`: the number of the record that the node's copy has to have first. */
export type NodeRequest =
  | { kind: 'ask'; sessionId: string; ask: WorldAsk; catalog: number; askId: string; isCancelled: boolean; wantsProgress: boolean }
  | { kind: 'cancel'; askId: string }
  | { kind: 'catalog'; catalog: number }
  | { kind: 'project'; projectId: string; catalog: number }
  | { kind: 'report'; report: OwnerReport }
  | { kind: 'who' };
export type NodeLine = { progress: AdvanceProgress } | { answer: JsonValue } | { refusal: ErrorFrame } | { notOwner: true };

/** The answer to `who`. */
export interface NodeName {
  node: string;
}

/** The node does not own what it was asked for, and has done nothing. */
export class NotOwner extends Error {
  override name = 'NotOwner';
}
/** What a node does for others. Rejects with NotOwner where it is not the one to ask. */
export interface NodeDoor {
  ask(sessionId: string, ask: WorldAsk, options: AskOptions & { catalog: number }): Promise<unknown>;
  /** Resolves when the copy of the catalog here has the record; rejects where it does not come in time. */
  catalogAt(number: number): Promise<void>;
  removeProject(projectId: string, options: { catalog: number }): Promise<readonly number[]>;
  report(report: OwnerReport): Promise<void>;
  /** Its name. */
  readonly node: string;
}

/** Of requests to `nodePath` that come from nodes; everything else goes to `rest`. Stands behind `behindNodes`. */
export function behindDoor(door: NodeDoor, onBug: (error: unknown) => void, rest: HttpHandler): HttpHandler {
  const answers = new DoorAnswers(door, onBug);
  return (request) =>
    request.path === nodePath && request.isFromNode === true && request.method === 'POST' ? answers.answer(request) : rest(request);
}

type AskRequest = Extract<NodeRequest, { kind: 'ask' }>;

class DoorAnswers {
  readonly #door: NodeDoor;
  readonly #onBug: (error: unknown) => void;
  /** Asks under way that can be cancelled: no more than who asks has under way. */
  readonly #running = new Map<string, AbortController>();

  constructor(door: NodeDoor, onBug: (error: unknown) => void) {
    this.#door = door;
    this.#onBug = onBug;
  }

  async answer(request: ServerRequest): Promise<HttpReply> {
    let asked: NodeRequest;
    try {
      asked = JSON.parse(Buffer.from(await request.body(limits.nodeAskBytesMax)).toString()) as NodeRequest;
    } catch (error) {
      return errorReply(isServiceError(error) ? error : new ServiceError('control.INVALID_JSON'), newId('corr'));
    }
    if (asked.kind === 'ask' && asked.wantsProgress) return { status: 200, headers: jsonLines, stream: this.#stream(asked) };
    const line = await this.#lineOf(this.#work(asked));
    return 'notOwner' in line ? notOwner() : { status: 200, headers: jsonLines, body: `${JSON.stringify(line)}\n` };
  }

  async #work(asked: NodeRequest): Promise<unknown> {
    const door = this.#door;
    switch (asked.kind) {
      case 'ask':
        return await this.#ask(asked);
      case 'cancel':
        this.#running.get(asked.askId)?.abort();
        return this.#running.has(asked.askId);
      case 'catalog':
        return await door.catalogAt(asked.catalog);
      case 'project':
        return await door.removeProject(asked.projectId, { catalog: asked.catalog });
      case 'report':
        return await door.report(asked.report);
      case 'who':
        return { node: door.node } satisfies NodeName;
    }
  }

  async #ask(asked: AskRequest, onProgress: (progress: AdvanceProgress) => void = () => {}): Promise<unknown> {
    const { sessionId, ask, catalog, askId, isCancelled } = asked;
    const cancel = new AbortController();
    if (isCancelled) cancel.abort();
    this.#running.set(askId, cancel);
    try {
      return await this.#door.ask(sessionId, ask, { catalog, signal: cancel.signal, onProgress });
    } finally {
      this.#running.delete(askId);
    }
  }

  /** Of progress that nobody has taken, only the newest waits. */
  async *#stream(asked: AskRequest): AsyncGenerator<string> {
    let newest: AdvanceProgress | undefined;
    let last: NodeLine | undefined;
    let wake = (): void => {};
    const asking = this.#ask(asked, (progress) => {
      newest = progress;
      wake();
    });
    void this.#lineOf(asking).then((line) => {
      last = line;
      wake();
    });
    while (last === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (last !== undefined || newest !== undefined) resolve();
      });
      const progress = newest;
      newest = undefined;
      if (progress !== undefined) yield `${JSON.stringify({ progress } satisfies NodeLine)}\n`;
    }
    yield `${JSON.stringify(last)}\n`;
  }

  async #lineOf(work: Promise<unknown>): Promise<NodeLine> {
    try {
      return { answer: ((await work) ?? null) as JsonValue };
    } catch (thrown) {
      if (thrown instanceof NotOwner) return { notOwner: true };
      const error = orUnavailable(thrown);
      if (isServiceError(error)) return { refusal: errorToFrame(error) };
      this.#onBug(error);
      return { refusal: errorToFrame(hiddenRefusal(error)) };
    }
  }
}

const jsonLines = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' };

function notOwner(): HttpReply {
  const reply = errorReply(
    new ServiceError('control.UNAVAILABLE', { message: 'This node does not own that. Nothing was done.' }),
    newId('corr'),
  );
  return { ...reply, headers: { ...reply.headers, [nodeHeaders.notOwner]: '1' } };
}

/** The last line of a reply, as what it says. Throws the refusal. */
export function answerOf(line: unknown): unknown {
  const said = line as { answer?: unknown; refusal?: ErrorFrame; notOwner?: true };
  if (said.notOwner === true) throw new NotOwner();
  if (said.refusal !== undefined) throw errorFromFrame(said.refusal);
  return said.answer;
}
