// Talks to the server the app came from: the bearer in a header of every request, never in an address; refusals as ApiError.
import type { ErrorEnvelope } from '../../../contract/errors.js';
import type { InspectorRouteId, InspectorRoutes } from '../../../contract/inspector/inspector.js';
import { inspectorRoutes } from '../../../contract/inspector/routes.js';
import type { JsonValue } from '../../../contract/json.js';
import { filledPath, filledQuery } from '../../../contract/route-table.js';
import { EventStreamParser, type StreamEvent } from './event-stream.js';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: { path: string; message: string }[];

  constructor(
    status: number,
    { code, message, issues = [] }: { code: string; message: string; issues?: { path: string; message: string }[] },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.issues = issues;
  }
}

type RequestParts<Id extends InspectorRouteId> = {
  [Part in 'path' | 'query' | 'body' as InspectorRoutes[Id][Part] extends undefined ? never : Part]: InspectorRoutes[Id][Part];
};

interface Heard {
  /** A token is not accepted: it may be an earlier one. */
  onRefused?: (token: string) => void;
  /** Something of a run is not there: it may have been deleted since the run itself was read. */
  onMissing?: (runId: string) => void;
}

export class ApiClient {
  readonly #token: () => string;
  readonly #origin: string;
  readonly #heard: Heard;

  constructor(token: () => string, { origin = '', ...heard }: Heard & { origin?: string } = {}) {
    this.#token = token;
    this.#origin = origin;
    this.#heard = heard;
  }

  /** One route of the contract, with what it takes; gives what it gives. */
  async call<Id extends InspectorRouteId>(id: Id, given: RequestParts<Id>, signal?: AbortSignal): Promise<InspectorRoutes[Id]['reply']> {
    return (await this.#send(id, given, signal)).json() as Promise<InspectorRoutes[Id]['reply']>;
  }

  /** What is no JSON: the report, an attachment. */
  async bytes<Id extends 'getReport' | 'getReportZip' | 'getAttachment'>(id: Id, given: RequestParts<Id>): Promise<Blob> {
    return (await this.#send(id, given)).blob();
  }

  /** Events as they come, until the stream ends or is aborted. */
  async events(onOpen: () => void, onEvent: (event: StreamEvent) => void, signal: AbortSignal): Promise<void> {
    const response = await this.#send('listEvents', { query: {} }, signal);
    onOpen();
    const parser = new EventStreamParser();
    const decoder = new TextDecoder();
    const reader = response.body!.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const event of parser.push(decoder.decode(value, { stream: true }))) onEvent(event);
    }
  }

  async #send(id: InspectorRouteId, given: { path?: object; query?: object; body?: unknown }, signal?: AbortSignal): Promise<Response> {
    const { method, path } = inspectorRoutes[id];
    const token = this.#token();
    const headers: { [name: string]: string } = { authorization: `Bearer ${token}` };
    const request: RequestInit = { method, headers };
    if (given.body !== undefined) {
      headers['content-type'] = 'application/json';
      request.body = JSON.stringify(given.body);
    }
    if (signal !== undefined) request.signal = signal;
    const address = this.#origin + filledPath(path, { ...given.path }) + filledQuery(given.query ?? {});
    let response: Response;
    try {
      response = await fetch(address, request);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw new ApiError(0, { code: 'unreachable', message: 'The inspector does not answer. Is `drillyard inspect` still running?' });
    }
    if (response.status === 401) this.#heard.onRefused?.(token);
    if (response.status === 404 && id !== 'getRun' && given.path !== undefined && 'runId' in given.path)
      this.#heard.onMissing?.(String(given.path.runId));
    if (!response.ok) throw await refusalOf(response);
    return response;
  }
}

async function refusalOf(response: Response): Promise<ApiError> {
  try {
    return new ApiError(response.status, (await response.json()) as ErrorEnvelope);
  } catch {
    return new ApiError(response.status, { code: `HTTP ${response.status}`, message: 'The server refused, and did not say why.' });
  }
}

/** What a person typed as JSON, or why it is none. */
export function parseJson(text: string): { value: JsonValue } | { problem: string } {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
