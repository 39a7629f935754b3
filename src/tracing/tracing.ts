// What the modules of the service know of traces: spans around work, and who their parent is. Nothing of it enters a world. Where no traces
// are wanted there is no `Tracing`, and what is not there costs nothing.

export interface SpanAttributes {
  readonly [name: string]: string | number | boolean | undefined;
}
/** `headers`: as a request brought them. `traceparent`: as it was kept; undefined: of nobody. */
export type SpanParent = { headers: ReadonlyMap<string, string> } | { traceparent: string | undefined };

export interface SpanStart {
  name: string;
  /** Default internal. */
  kind?: 'server' | 'client' | 'internal';
  /** Never a token, an argument, a result or a path of a request. */
  attributes?: SpanAttributes;
  /** Default: the span that is under way here. */
  parent?: SpanParent;
}
/** A span under way. It ends with its work. */
export interface OpenSpan {
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** It ends in an error of this type: a code, never a message. */
  fail(type: string): void;
}
export interface Tracing {
  /** Calls `work` at once, with the span as the one under way. What `work` throws fails the span. */
  span<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** The span under way as W3C Trace Context writes it; undefined where there is none. */
  traceparent(): string | undefined;
  /** What joins a log line with the span under way. */
  logFields(): { trace_id: string; span_id: string } | Record<string, never>;
  /** Calls `work` with no span under way: what it leaves running belongs to no request. */
  detached<T>(work: () => T): T;
}

/** In a span where there are traces, else as it is. */
export function inSpan<T>(tracing: Tracing | undefined, start: SpanStart, work: (span?: OpenSpan) => Promise<T>): Promise<T> {
  return tracing === undefined ? work() : tracing.span(start, work);
}
