// Another request as a handler behind sees it: the same but for what a subclass says.
import type { ServerRequest } from './server.js';

export class RequestView implements ServerRequest {
  readonly #request: ServerRequest;

  /** The path as the client sent it, whatever views have made of it. */
  static sentPath(request: ServerRequest): string {
    return request instanceof RequestView ? RequestView.sentPath(request.#request) : request.path;
  }

  constructor(request: ServerRequest) {
    this.#request = request;
  }

  /** Whether a view of this class is on the way from the client's request to this one. */
  protected static isIn(request: ServerRequest, view: abstract new (...given: never[]) => RequestView): boolean {
    for (let at = request; at instanceof RequestView; at = at.#request) if ((at as object) instanceof view) return true;
    return false;
  }

  get method(): string {
    return this.#request.method;
  }
  get path(): string {
    return this.#request.path;
  }
  get query(): string {
    return this.#request.query;
  }
  get headers(): ReadonlyMap<string, string> {
    return this.#request.headers;
  }
  get repeatedHeaders(): ReadonlyMap<string, readonly string[]> {
    return this.#request.repeatedHeaders;
  }
  get address(): string {
    return this.#request.address;
  }
  get isForwarded(): boolean {
    return this.#request.isForwarded === true;
  }
  get isFromNode(): boolean {
    return this.#request.isFromNode === true;
  }
  get signal(): AbortSignal {
    return this.#request.signal;
  }
  body(bytesMax: number): Promise<Uint8Array> {
    return this.#request.body(bytesMax);
  }
}
