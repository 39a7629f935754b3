// The service's log: one JSON line an event, through pino. The only file that names it. Never in a line: secrets, queries, bodies.
import { type DestinationStream, type Logger, pino } from 'pino';
import type { ControlLog } from '../control/services.js';
import type { Answered, Observer, RouteFailure } from './router.js';

export interface ServiceLogOptions {
  level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Default: standard error, written when the event loop is free. */
  destination?: DestinationStream;
  /** Put into every line: what joins it with the span under way. */
  traceFields?: (() => object) | undefined;
}
export interface ServiceLog extends ControlLog {
  /** A line for each request. */
  readonly access: Observer;
  /** Of agents: their calls are many, cost as much to log as to answer, and stand in the evidence; only refusals have a line, but at `debug`. */
  readonly agentAccess: Observer;
  /** Bugs met while answering. */
  failure(failure: RouteFailure): void;
  /** Writes what is still held back. */
  flush(): void;
}

// Nobody should log such a field; if somebody does, its value does not get out.
const secrets = ['credential', 'secret', 'token', 'authorization', 'password'].flatMap((name) => [name, `*.${name}`]);

export function createServiceLog({ level = 'info', destination, traceFields }: ServiceLogOptions = {}): ServiceLog {
  const stream = destination ?? pino.destination({ fd: 2, sync: false });
  const plain = { level, base: null, timestamp: pino.stdTimeFunctions.epochTime, ...(traceFields === undefined ? {} : { mixin: traceFields }) };
  const logger: Logger = pino({ ...plain, redact: { paths: secrets, remove: true } }, stream);
  // Its lines are made here, of nothing secret, and there are many of them.
  const access: Logger = pino(plain, stream);
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    access: { received: () => {}, answered: (request) => logAnswered(access, request) },
    agentAccess: {
      received: () => {},
      answered: (request) => {
        if (request.status >= 400 || level === 'debug') logAnswered(access, request);
      },
    },
    failure: ({ error, ...request }) => logger.error({ ...request, err: error }, 'a bug met while answering'),
    flush: () => logger.flush(),
  };
}

function logAnswered(logger: Logger, { correlationId, method, route, status, seconds, caller }: Answered): void {
  const line = { correlationId, method, route, status, ms: Math.round(seconds * 1e5) / 100, credentialId: caller };
  if (status >= 500) logger.warn(line, 'request');
  else logger.info(line, 'request');
}
