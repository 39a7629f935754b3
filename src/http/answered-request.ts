// What observers of a router are shown of a request that has its reply.
import type { ErrorCode } from '../contract/errors.js';
import type { ServerRequest } from './server.js';

/** One request that has its reply. */
export interface AnsweredRequest {
  correlationId: string;
  method: string;
  /** The route's id; undefined when there is none. */
  route: string | undefined;
  status: number;
  /** Of an error reply. */
  code: ErrorCode | undefined;
  seconds: number;
  /** As `nameOf` names it; undefined when it was not authenticated. */
  readonly caller: string | undefined;
  /** Nobody is known: it came without a valid credential, or to a route that asks for none. */
  isOfStranger: boolean;
  /** Of the client (HttpRequest.address). */
  readonly address: string;
  /** Decoded values of the path, by name, and what `idsOf` knows; undefined when it was not authenticated. */
  readonly path: { readonly [name: string]: string } | undefined;
}
export interface Observer {
  received(): void;
  answered(request: AnsweredRequest): void;
}

/** What a router knows of it. */
interface Known<Caller> {
  request: ServerRequest;
  correlationId: string;
  route: string | undefined;
  code: ErrorCode | undefined;
  caller: Caller | undefined;
  path: { readonly [name: string]: string } | undefined;
}
interface CallerNames<Caller> {
  nameOf?(caller: Caller): string;
  idsOf?(caller: Caller): { readonly [name: string]: string };
}

/** What few observers ask for is made when they do. */
export class Answered<Caller> implements AnsweredRequest {
  readonly correlationId: string;
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly seconds: number;
  readonly isOfStranger: boolean;
  readonly #names: CallerNames<Caller>;
  readonly #known: Known<Caller>;

  constructor(names: CallerNames<Caller>, known: Known<Caller>, { status, seconds }: Pick<AnsweredRequest, 'status' | 'seconds'>) {
    const { correlationId, request, route, code, caller } = known;
    this.correlationId = correlationId;
    this.method = request.method;
    this.route = route;
    this.status = status;
    this.code = code;
    this.seconds = seconds;
    this.isOfStranger = caller === undefined;
    this.#names = names;
    this.#known = known;
  }

  get caller(): string | undefined {
    const { caller } = this.#known;
    return caller === undefined ? undefined : this.#names.nameOf?.(caller);
  }
  get address(): string {
    return this.#known.request.address;
  }
  get path(): AnsweredRequest['path'] {
    const { caller, path } = this.#known;
    const names = this.#names;
    return caller === undefined || names.idsOf === undefined ? path : { ...names.idsOf(caller), ...path };
  }
}
