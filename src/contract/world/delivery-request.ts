// A callback as a world gives it to the side that sends it.
import type { CallbackSignature } from './callback-signature.js';
import type { ToolCallback } from './tool-manifest.js';

/** What is to be sent. It holds no secret: the sender signs it. */
export interface DeliveryRequest {
  deliveryId: string;
  receiverId: string;
  attempt: number;
  method: ToolCallback['method'];
  path: ToolCallback['path'];
  /** Lower-case names; the delivery's id is among them, the signature is not. */
  headers: { [name: string]: string };
  bodyBase64: string;
  signature: CallbackSignature;
  /** What the signature says of its time; without it, the time at which it is sent. */
  signedAtUs?: number;
  timeoutMs: ToolCallback['timeoutMs'];
  fault?: 'duplicate' | 'bad_signature';
}
