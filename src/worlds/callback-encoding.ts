// The request of one attempt, as the tool's codec words it: headers that any server takes, a body that is bounded.
import type { OutcomeError } from '../contract/evidence.js';
import { limits } from '../contract/limits.js';
import type { ToolCallback } from '../contract/tool-manifest.js';
import type { EncodedMessage } from '../contract/wire.js';
import type { DeliveryRequest } from '../contract/world-protocol.js';

import type { OutboxRow } from './outbox.js';
import type { ToolSeat } from './tool-seat.js';

type Message = Pick<DeliveryRequest, 'headers' | 'bodyBase64'>;

/** A broken codec gives the delivery up: it would be as broken at the next attempt. */
export function encodeDelivery(
  seat: ToolSeat,
  { eventId, payloadText, receiverId, queuedAtUs }: OutboxRow,
  { callback, deliveryId, attempt }: { callback: ToolCallback; deliveryId: string; attempt: number },
): Message | OutcomeError {
  const event = { packageId: seat.packageId, instanceId: seat.instanceId, eventId };
  const input = { callbackId: callback.id, deliveryId, receiverId, event, payload: JSON.parse(payloadText), virtualTimeUs: queuedAtUs, attempt };
  const encoded = seat.encodeCallback(callback.id, input);
  if (encoded.kind !== 'value') return broken(encoded.message);
  const { message } = encoded;
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(message.headers)) headers[name.toLowerCase()] = value;
  const { bytes, contentType } = bodyOf(message.body);
  if (contentType !== undefined) headers['content-type'] ??= contentType;
  const refused = refusedHeader(headers, callback);
  if (refused !== undefined) return broken(`it may not set the header ${JSON.stringify(refused)} so`);
  if (bytes.length > limits.callbackBodyBytesMax) return broken(`its body is longer than ${limits.callbackBodyBytesMax} bytes`);
  headers[callback.idempotencyHeader.toLowerCase()] = deliveryId;
  return { headers, bodyBase64: bytes.toString('base64') };
}

/** What belongs to the connection, or to whoever sends. */
const reserved = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect', 'keep-alive']);
const nameShape = /^[0-9a-z!#$%&*+.^_|~-]{1,128}$/;
const valueShape = /^[\t -~]{0,8192}$/;

function refusedHeader(headers: Message['headers'], { signature, idempotencyHeader }: ToolCallback): string | undefined {
  const names = Object.keys(headers);
  if (names.length > limits.callbackHeadersMax) return names[limits.callbackHeadersMax];
  const own = [signature.header.toLowerCase(), idempotencyHeader.toLowerCase()];
  const isProxy = (name: string): boolean => name.startsWith('proxy-');
  return names.find(
    (name) => !nameShape.test(name) || !valueShape.test(headers[name] as string) || reserved.has(name) || isProxy(name) || own.includes(name),
  );
}

function bodyOf(body: EncodedMessage['body']): { bytes: Buffer; contentType?: string } {
  switch (body.kind) {
    case 'empty':
      return { bytes: Buffer.alloc(0) };
    case 'json':
      return { bytes: Buffer.from(body.text), contentType: 'application/json' };
    case 'text':
      return { bytes: Buffer.from(body.text), contentType: body.contentType };
    case 'bytes':
      return { bytes: Buffer.from(body.bytes), contentType: body.contentType };
  }
}

const broken = (message: string): OutcomeError => ({
  code: 'ENCODING_FAILED',
  message: `The tool's codec gives no request: ${message}.`,
  retryable: false,
});
