// What a node of a cluster answers of what it owns: only while it may, when the answer is there.
//   CLUSTER-ANSWERS-1. A reply leaves a node only while no other node can have taken the home that it is about.
//   CLUSTER-ANSWERS-2. What only reads is asked again, once, where the home is by then; of anything else the client learns that it is not
//     known.
import { catalogHome } from '../cluster/log.js';
import type { Homes } from '../cluster/node-homes.js';
import { errorTable } from '../contract/errors.js';
import { notOwnerReply, onlyReads } from '../http/forward.js';
import type { HttpHandler, HttpReply, ServerRequest } from '../http/server.js';
import type { HeldAnswers } from './cluster-held.js';
import type { ClusterOwners } from './cluster-owners.js';
import { movedReply } from './cluster-replies.js';
import type { ClusterUse } from './cluster-use.js';

export interface ClusterAnswersParts {
  owners: Pick<ClusterOwners, 'homeOfAgent' | 'ownerOfHome' | 'mayAnswer'>;
  homes: Pick<Homes, 'mayRead'>;
  use: ClusterUse;
  held: HeldAnswers;
  /** The incarnation of the control plane that is here; each has its own object. */
  plane(): object | undefined;
}
export interface OwnWork {
  answer: HttpHandler;
  /** Sends it to who owns by then what it asks for. */
  elsewhere: HttpHandler;
}

/** Whether the reply may not leave, as of when it was there. */
interface Judgement {
  isOver: boolean;
}
interface During {
  request: ServerRequest;
  work: OwnWork;
  judgement: Judgement;
  mayAnswer: () => boolean;
}
interface Move {
  request: ServerRequest;
  work: OwnWork;
  /** The reply may not leave. */
  isOver: boolean;
  isRefused: boolean;
}

export class ClusterAnswers {
  /** That were asked again. */
  readonly #repeated = new WeakSet<ServerRequest>();
  readonly #parts: ClusterAnswersParts;

  constructor(parts: ClusterAnswersParts) {
    this.#parts = parts;
  }

  async ofAgent(request: ServerRequest, work: OwnWork): Promise<HttpReply> {
    const { owners } = this.#parts;
    const home = owners.homeOfAgent(request);
    const judgement: Judgement = { isOver: true };
    const reply = await this.#during(home, { request, work, judgement, mayAnswer: () => owners.mayAnswer(home) });
    const { isOver } = judgement;
    // It may have been refused because the home is being given away.
    const isRefused =
      reply.status === errorTable['control.UNAVAILABLE'].status && home !== undefined && owners.ownerOfHome(home) !== 'self';
    return !isOver && !isRefused ? reply : await this.#moved(reply, { request, work, isOver, isRefused });
  }

  /** The same, of the catalog's home. */
  async ofControl(request: ServerRequest, work: OwnWork): Promise<HttpReply> {
    const { homes, plane } = this.#parts;
    const before = plane();
    const mayAnswer = (): boolean => before !== undefined && plane() === before && homes.mayRead(catalogHome);
    const judgement: Judgement = { isOver: true };
    const reply = before === undefined ? movedReply() : await this.#during(catalogHome, { request, work, judgement, mayAnswer });
    return await this.#moved(reply, { request, work, isOver: judgement.isOver, isRefused: false });
  }

  async #moved(reply: HttpReply, { request, work, isOver, isRefused }: Move): Promise<HttpReply> {
    if (!isOver && !(isRefused && onlyReads(request))) return reply;
    reply.whenOver?.();
    // Once: a node that may not read for a while is its owner still.
    if (!onlyReads(request) || this.#repeated.has(request)) return movedReply();
    this.#repeated.add(request);
    return request.isForwarded === true ? notOwnerReply() : await work.elsewhere(request);
  }

  /** What only reads is not waited for: it can be asked again. Whether the reply may leave is judged while the home is in use still. */
  #during(home: number | undefined, { request, work, judgement, mayAnswer }: During): Promise<HttpReply> {
    const { use, held } = this.#parts;
    const used = onlyReads(request) ? undefined : home;
    const judged = async (): Promise<HttpReply> => {
      if (used !== undefined) use.begin(used);
      try {
        const reply = await work.answer(request);
        judgement.isOver = !mayAnswer();
        return reply;
      } finally {
        if (used !== undefined) use.end(used);
      }
    };
    return held.during(mayAnswer, judged);
  }
}
