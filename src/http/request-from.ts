// A request as it is once it is known whom it comes from: a proxy or another node has said so, and is believed.
import { RequestView } from './request-view.js';
import type { ServerRequest } from './server.js';

export class RequestFrom extends RequestView {
  readonly #client: string;
  readonly #isForwarded: boolean;

  /** `isForwarded`: by a node of the cluster. Default: as the request says. */
  constructor(request: ServerRequest, client: string, { isForwarded = request.isForwarded === true } = {}) {
    super(request);
    this.#client = client;
    this.#isForwarded = isForwarded;
  }

  override get address(): string {
    return this.#client;
  }
  override get isForwarded(): boolean {
    return this.#isForwarded;
  }
}
