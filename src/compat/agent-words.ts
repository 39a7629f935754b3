// How agents of the other runner's projects are spoken to: replies of the generic routes, their refusals, MCP.
import { defined } from '../contract/defined.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import type { AgentDialect } from '../contract/run/dialect.js';
import type { OutcomeKind } from '../contract/world/evidence.js';
import { domainsOf } from './brand.js';
import { type OwnOutcome, otherError, otherOutcome } from './outcome.js';

const statuses: { readonly [kind in OutcomeKind]: number } = { ok: 200, denied: 403, unsupported: 404, invalid: 400, tool_error: 422 };

export function otherAgentDialect(brand: string): AgentDialect {
  return {
    tools: ({ tools, ...rest }) => ({
      ...rest,
      tools: tools.map(({ packageId, instanceId, operationId, ...tool }) => ({
        operation: { packageId, instanceId, operationId },
        packageId,
        instanceId,
        operationId,
        ...tool,
      })),
    }),
    called: ({ callId, correlationId, outcome }, operation) => ({
      status: statuses[outcome.kind],
      body: {
        schemaVersion: 1,
        callId,
        correlationId,
        invocation: { callId, correlationId, operation },
        outcome: otherOutcome(outcome as OwnOutcome, correlationId),
      },
    }),
    refused: ({ code, message, retryable, correlationId, issues, details }) => {
      const name = `HTTP_${code.slice(code.indexOf('.') + 1)}`;
      const said = { ...details, ...defined({ issues }) } as unknown as JsonValue;
      const error = otherError({ code: name, message, retryable, details: said }, { source: 'framework', correlationId });
      return { schemaVersion: 1, code: error.code, error };
    },
    mcp: {
      toolNames: 'own',
      listsBothNames: true,
      keyNames: [...domainsOf(brand).map((domain) => `${domain}/idempotency-key`), 'drillyard/idempotencyKey'],
      makesKeys: true,
      failed: (outcome) => otherOutcome(outcome as OwnOutcome) satisfies JsonObject,
    },
  };
}
