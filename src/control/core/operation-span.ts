// The span of an operation, in one incarnation of the service: a child of the request that asked for it, which ended long before.
import type { LongRunningOperation } from '../../contract/hosted/operation.js';
import { inSpan, type Tracing } from '../../tracing/tracing.js';
import type { OperationRecord } from './operations.js';

/** `work` yields the operation as it ended; undefined: it was left for the next incarnation. */
export async function inOperationSpan(
  tracing: Tracing | undefined,
  record: OperationRecord,
  work: () => Promise<LongRunningOperation | undefined>,
): Promise<void> {
  const { operation, traceparent, correlationId } = record;
  const { operationId, kind, projectId, resourceType, resourceId } = operation;
  const attributes = {
    'drillyard.operation.id': operationId,
    'drillyard.operation.kind': kind,
    'drillyard.project.id': projectId,
    'drillyard.resource.type': resourceType,
    'drillyard.resource.id': resourceId,
    'drillyard.correlation_id': correlationId,
  };
  await inSpan(tracing, { name: `operation ${kind}`, attributes, parent: { traceparent } }, async (span) => {
    const ended = await work();
    if (ended === undefined) return;
    span?.set({ 'drillyard.operation.state': ended.state });
    if (ended.state === 'failed') span?.fail(ended.error?.code ?? '_OTHER');
  });
}
