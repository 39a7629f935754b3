// A collector of OpenTelemetry on a port of its own: what arrives over OTLP/HTTP as JSON, span by span.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean };
}
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: KeyValue[];
  status?: { code?: number };
}
interface ExportRequest {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: WireSpan[] }[] }[];
}

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** '' of one that begins its trace. */
  parentSpanId: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | undefined;
  attributes: { [name: string]: unknown };
  isError: boolean;
}
export interface TraceCollector {
  url: string;
  spans: CollectedSpan[];
  /** Of the latest export. */
  resource: { [name: string]: unknown };
  /** Everything that arrived, as it came. */
  bodies: string[];
  /** The only one of that trace and name. */
  one(traceId: string, name: string): CollectedSpan;
  close(): Promise<void>;
}

const kinds = [undefined, 'internal', 'server', 'client'] as const;
const objectOf = (list: KeyValue[]): { [name: string]: unknown } =>
  Object.fromEntries(
    list.map(({ key, value: { stringValue, intValue, boolValue } }) => [key, stringValue ?? boolValue ?? Number(intValue)]),
  );

export async function startTraceCollector(): Promise<TraceCollector> {
  const collector: TraceCollector = {
    ...{ url: '', spans: [], resource: {}, bodies: [] },
    one: (traceId, name) => {
      const found = collector.spans.filter((span) => span.traceId === traceId && span.name === name);
      const all = (): string => collector.spans.map((span) => `${span.traceId} ${span.name}`).join('\n');
      assert.equal(found.length, 1, `${found.length} spans ${name} of ${traceId} among\n${all()}`);
      return found[0]!;
    },
    close: async () => {},
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    assert.deepEqual([request.method, request.url, request.headers['content-type']], ['POST', '/v1/traces', 'application/json']);
    const body = Buffer.concat(chunks).toString();
    collector.bodies.push(body);
    for (const { resource, scopeSpans } of (JSON.parse(body) as ExportRequest).resourceSpans) {
      collector.resource = objectOf(resource.attributes);
      for (const { parentSpanId = '', kind, attributes, status, ...span } of scopeSpans.flatMap(({ spans }) => spans)) {
        const { traceId, spanId, name } = span;
        collector.spans.push({
          traceId,
          spanId,
          name,
          parentSpanId,
          kind: kinds[kind],
          attributes: objectOf(attributes),
          isError: status?.code === 2,
        });
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  collector.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return collector;
}
