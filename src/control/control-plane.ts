// The control plane as http holds it: who asks, what is answered, and how it ends. open-control.ts furnishes it with all endpoints.
import { within } from '../async/deadline.js';
import type { EndpointId, EndpointInput } from '../contract/hosted/endpoints.js';
import { limits } from '../contract/limits.js';
import type { Caller } from './catalog/endpoint.js';
import { RefusalTrail } from './core/refusal-trail.js';
import type { ControlServices } from './core/services.js';
import { type Dispatch, type DispatchContext, Dispatcher, type Endpoints } from './dispatch.js';
import { Authentication, type RequestOrigin } from './organizations/authentication.js';

export class ControlPlane {
  readonly services: ControlServices;
  readonly #authentication: Authentication;
  readonly #dispatcher: Dispatcher;
  readonly #refusals: RefusalTrail;
  #purges: NodeJS.Timeout | undefined;

  constructor(services: ControlServices, endpoints: Endpoints) {
    this.services = services;
    this.#refusals = new RefusalTrail(services);
    this.#authentication = new Authentication(services, this.#refusals);
    this.#dispatcher = new Dispatcher(services, { endpoints, refusals: this.#refusals });
  }

  /** Takes up what an earlier incarnation left, and begins to forget what was kept long enough. */
  start(): void {
    this.services.operations.resume();
    this.#purges = setInterval(() => void this.purge(), limits.idempotencyPurgeMs).unref();
    void this.purge();
  }

  authenticate(token: string, at?: RequestOrigin): Caller {
    return this.#authentication.authenticate(token, at);
  }
  authenticateOperator(token: string): Caller {
    return this.#authentication.authenticateOperator(token);
  }
  authenticateIdentity(token: string): Promise<Caller> {
    return this.#authentication.authenticateIdentity(token);
  }
  /** Before the body is read. */
  admit(id: EndpointId, path: { [name: string]: string | number } | undefined, context: DispatchContext): void {
    this.#dispatcher.admit(id, path, context);
  }
  dispatch<Id extends EndpointId>(id: Id, input: EndpointInput<Id>, context: DispatchContext): Promise<Dispatch<Id>> {
    return this.#dispatcher.dispatch(id, input, context);
  }

  /** Tells the audit trail what it has left out. */
  async flushRefusals(): Promise<void> {
    this.#refusals.flush();
  }

  async purge(): Promise<void> {
    await this.#dispatcher.purge().catch((err) => this.services.log.warn('old answers were not forgotten', { err }));
  }

  /** Changes are refused from now on; resolves when what runs has ended, or `graceMs` are over. */
  async drain(graceMs: number): Promise<void> {
    clearInterval(this.#purges);
    this.#refusals.flush({ all: true });
    // A request that is still under way then is refused when the worlds and the catalog close; its claim stays for the next incarnation.
    await Promise.all([this.services.operations.drain(graceMs), within(graceMs, this.#dispatcher.drain())]);
  }
}
