// The request of one attempt, as the tool's codec words it, with what a callback asks beyond what every codec is held to.
import { isConnectionHeader } from '../../contract/header-rules.js';
import { limits } from '../../contract/limits.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import { signatureHeaders } from '../../contract/world/callback-signature.js';
import type { DeliveryRequest } from '../../contract/world/delivery-request.js';
import type { ToolCallback } from '../../contract/world/tool-manifest.js';
import type { WholeMessage } from '../../tools/loaded-tool.js';
import type { OutboxRow } from '../state/outbox.js';
import type { WorldTool } from './world-tool.js';

type Message = Pick<DeliveryRequest, 'headers' | 'bodyBase64'>;

/** A broken codec gives the delivery up: it would be as broken at the next attempt. */
export function encodeDelivery(
  instance: WorldTool,
  { eventId, payloadText, receiverId, queuedAtUs }: OutboxRow,
  { callback, deliveryId, attempt }: { callback: ToolCallback; deliveryId: string; attempt: number },
): Message | OutcomeError {
  const event = { packageId: instance.packageId, instanceId: instance.instanceId, eventId };
  const input = {
    callbackId: callback.id,
    deliveryId,
    receiverId,
    event,
    payload: JSON.parse(payloadText),
    virtualTimeUs: queuedAtUs,
    attempt,
  };
  const encoded = instance.encodeCallback(callback.id, input);
  if (encoded.kind !== 'value') return broken(encoded.message);
  const { bytes, contentType } = bodyOf(encoded.message.body);
  const headers: Message['headers'] = { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...encoded.message.headers };
  const refused = refusedHeader(headers, callback);
  if (refused !== undefined) return broken(`it may not set the header ${JSON.stringify(refused)}`);
  if (bytes.length > limits.callbackBodyBytesMax) return broken(`its body is longer than ${limits.callbackBodyBytesMax} bytes`);
  headers[callback.idempotencyHeader.toLowerCase()] = deliveryId;
  return { headers, bodyBase64: bytes.toString('base64') };
}

/** Beyond what no codec may set (tools/codecs.ts): what the declaration keeps for itself, which must not be of the connection either. */
function refusedHeader(headers: Message['headers'], { signature, idempotencyHeader }: ToolCallback): string | undefined {
  const own = [...signatureHeaders(signature), idempotencyHeader.toLowerCase()];
  return own.find(isConnectionHeader) ?? Object.keys(headers).find((name) => own.includes(name));
}

function bodyOf(body: WholeMessage['body']): { bytes: Buffer; contentType?: string } {
  switch (body.kind) {
    case 'empty':
      return { bytes: Buffer.alloc(0) };
    case 'json':
      return { bytes: Buffer.from(body.text), contentType: 'application/json' };
    case 'text':
      return { bytes: Buffer.from(body.text), contentType: body.contentType };
    case 'bytes':
      return { bytes: Buffer.from(body.base64, 'base64'), contentType: body.contentType };
  }
}

const broken = (message: string): OutcomeError => ({
  code: 'ENCODING_FAILED',
  message: `The tool's codec gives no request: ${message}.`,
  retryable: false,
});
