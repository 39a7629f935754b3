// What merchants receive. The body is the same at every attempt, and so is its signature.
import type { CallbackInput, WireMessage } from 'drillyard/tool-sdk';

export const settlementWebhook = { encode: (input: CallbackInput): WireMessage => webhook('settlement.completed', input) };

function webhook(type: string, { deliveryId, payload, virtualTimeUs }: CallbackInput): WireMessage {
  return {
    headers: { 'payments-event': type },
    body: { kind: 'json', value: { id: deliveryId, type, createdAtUs: virtualTimeUs, data: payload } },
  };
}
