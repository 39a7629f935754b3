// Traces through the API of OpenTelemetry: the spans go to whatever SDK the program has registered.
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { ServiceError } from '../contract/errors.js';
import type { OpenSpan, SpanAttributes, SpanParent, SpanStart, Tracing } from './tracing.js';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

export function createTracing(): Tracing {
  const tracer = trace.getTracer('drillyard');
  return {
    span: ({ name, kind = 'internal', attributes = {}, parent }: SpanStart, work) => {
      const above = parent === undefined ? context.active() : contextOf(parent);
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes } }, above);
      return context.with(trace.setSpan(above, span), () => endingWith(span, work));
    },
    traceparent: () => {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent;
    },
    logFields: () => {
      const span = trace.getActiveSpan();
      // Timers and listeners keep the span that was under way when they were made; when it has ended their lines are not its own.
      if (span?.isRecording() !== true) return {};
      const { traceId, spanId } = span.spanContext();
      return { trace_id: traceId, span_id: spanId };
    },
    detached: (work) => context.with(ROOT_CONTEXT, work),
  };
}

async function endingWith<T>(span: Span, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  const open = openSpan(span);
  try {
    return await work(open);
  } catch (error) {
    open.fail(error instanceof ServiceError ? error.code : '_OTHER');
    throw error;
  } finally {
    span.end();
  }
}

function openSpan(span: Span): OpenSpan {
  return {
    set: (attributes: SpanAttributes) => {
      span.setAttributes({ ...attributes });
    },
    rename: (name) => {
      span.updateName(name);
    },
    fail: (type) => {
      span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
    },
  };
}

function contextOf(parent: SpanParent): Context {
  if ('headers' in parent) return propagation.extract(ROOT_CONTEXT, parent.headers, ofMap);
  return parent.traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent: parent.traceparent });
}

const ofMap: TextMapGetter<ReadonlyMap<string, string>> = {
  get: (headers, name) => headers.get(name),
  keys: (headers) => [...headers.keys()],
};
