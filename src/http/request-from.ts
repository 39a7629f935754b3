// A request as it is once it is known whom it comes from: a proxy or another node has said so, and is believed.
import { RequestView } from './request-view.js';
import type { ServerRequest } from './server.js';

type NodePart = Pick<ServerRequest, 'isForwarded' | 'isFromNode'>;

export class RequestFrom extends RequestView {
  readonly #client: string;
  readonly #node: NodePart;

  /** `node`: what a node of the cluster has to do with it. Default: as the request says. */
  constructor(request: ServerRequest, client: string, node: NodePart = request) {
    super(request);
    this.#client = client;
    this.#node = node;
  }

  override get address(): string {
    return this.#client;
  }
  override get isForwarded(): boolean {
    return this.#node.isForwarded === true;
  }
  override get isFromNode(): boolean {
    return this.#node.isFromNode === true;
  }
}
