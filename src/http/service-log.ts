// The service's log: one JSON line an event, through pino. The only file that names it. Never in a line: secrets, queries, bodies.
import { type DestinationStream, type Logger, pino } from 'pino';
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import { isStoredDamage } from '../contract/stored-damage.js';
import type { ControlLog } from '../control/core/services.js';
import type { AnsweredRequest, Observer } from './answered-request.js';
import type { RouteFailure } from './route-failure.js';

export interface ServiceLogOptions {
  level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Default: standard error, written when the event loop is free. */
  destination?: DestinationStream;
  /** Default: the clock of the process. */
  nowMs?(): number;
  /** Put into every line: what joins it with the span under way. */
  traceFields?: (() => object) | undefined;
}
export interface ServiceLog extends ControlLog {
  /**
   * A line for each request, but for probes that found it well, and for refusals to strangers beyond the first of a minute; at `debug` for
   * all.
   */
  readonly access: Observer;
  /**
   * Of agents: their calls are many, cost as much to log as to answer, and stand in the evidence; only refusals have a line, but at
   * `debug`.
   */
  readonly agentAccess: Observer;
  /** Bugs met while answering. */
  failure(failure: RouteFailure): void;
  /** Of an error that ends the process: written when this returns. */
  fatal(message: string, fields: object): void;
  /** Writes what is still held back. */
  flush(): void;
}

// Nobody should log such a field; if somebody does, its value does not get out.
const secrets = ['credential', 'secret', 'token', 'authorization', 'password'].flatMap((name) => [name, `*.${name}`]);

export function createServiceLog({
  level = 'info',
  destination,
  nowMs = () => performance.now(),
  traceFields,
}: ServiceLogOptions = {}): ServiceLog {
  const stream = destination ?? pino.destination({ fd: 2, sync: false });
  const plain = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.epochTime,
    ...defined({ mixin: traceFields }),
  };
  const logger: Logger = pino({ ...plain, redact: { paths: secrets, remove: true } }, stream);
  // Its lines are made here, of nothing secret, and there are many of them.
  const access: Logger = pino(plain, stream);
  const strangers = new StrangerLines(access, nowMs);
  const isLine = (request: AnsweredRequest): boolean => (isRefusedStranger(request) ? strangers.take() : !isQuietProbe(request));
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    fatal: (message, fields) => logger.fatal(fields, message),
    access: {
      received: () => {},
      answered: (request) => {
        if (level === 'debug' || isLine(request)) logAnswered(access, request);
      },
    },
    agentAccess: {
      received: () => {},
      answered: (request) => {
        if (level === 'debug' || (request.status >= 400 && isLine(request))) logAnswered(access, request);
      },
    },
    failure: ({ error, ...request }) =>
      logger.error({ ...request, err: error }, isStoredDamage(error) ? 'damage met while answering' : 'a bug met while answering'),
    flush: () => {
      strangers.flush();
      logger.flush();
    },
  };
}

/**
 * Anybody can be refused as often as they like: a window has so many lines, and the count of the others is one when the next window begins.
 */
class StrangerLines {
  readonly #logger: Logger;
  readonly #nowMs: () => number;
  #endsAtMs = Number.NEGATIVE_INFINITY;
  #written = 0;
  #leftOut = 0;

  constructor(logger: Logger, nowMs: () => number) {
    this.#logger = logger;
    this.#nowMs = nowMs;
  }

  /** Whether one more may be a line. */
  take(): boolean {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#endsAtMs) {
      this.flush();
      this.#endsAtMs = nowMs + limits.strangerLinesWindowMs;
      this.#written = 0;
    }
    if (this.#written < limits.strangerLinesMax) this.#written += 1;
    else this.#leftOut += 1;
    return this.#leftOut === 0;
  }

  flush(): void {
    if (this.#leftOut > 0) this.#logger.info({ leftOut: this.#leftOut }, 'refusals to strangers left out');
    this.#leftOut = 0;
  }
}

const isRefusedStranger = ({ isOfStranger, status }: AnsweredRequest): boolean => isOfStranger && status >= 400;
const probes: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);
const isQuietProbe = ({ route, status }: AnsweredRequest): boolean => probes.has(route) && status < 400;

function logAnswered(logger: Logger, answered: AnsweredRequest): void {
  const level = answered.status >= 500 ? 'warn' : 'info';
  if (logger.isLevelEnabled(level)) logger[level](lineOf(answered), 'request');
}
function lineOf({ correlationId, method, route, status, seconds, caller, address, path }: AnsweredRequest): object {
  return {
    ...{ correlationId, method, route, status, ms: Math.round(seconds * 1e5) / 100, credentialId: caller },
    clientAddress: address === '' ? undefined : address,
    resource: path === undefined ? undefined : idsOf(path),
  };
}

/** A credential has another shape, so one that somebody put into a path by mistake is no line. */
const idShape = /^(?:[a-z]{2,16}_[0-9a-z]{12,32}|sha256:[0-9a-f]{64})$/;

/** What of a path is the id of a resource; undefined where nothing is. */
function idsOf(path: { readonly [name: string]: string }): { [name: string]: string } | undefined {
  const ids = Object.entries(path).filter(([, value]) => idShape.test(value));
  return ids.length === 0 ? undefined : Object.fromEntries(ids);
}
