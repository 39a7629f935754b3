// How a callback is signed: the `signature` of a manifest, by the name of whose verifiers are to take it, or as a plain HMAC.
import type { tags } from '../tags.js';

export type HeaderName = string & tags.Pattern<'^[0-9A-Za-z!#$%&*+.^_|~-]+$'> & tags.MaxLength<128>;

/** The service signs nothing. */
export interface NoSignature {
  kind: 'none';
}
/** The HMAC-SHA-256 of the body in lower-case hex, after a prefix. */
export interface PlainSignature {
  kind: 'hmac-sha256';
  /** The header of the signature. */
  header: HeaderName;
  /** What stands before the hex. */
  prefix: string & tags.MaxLength<128> & tags.Pattern<'^[ -~]*$'>;
}
/** As the named service signs the body, or its URL and parameters: without a time. */
export interface UntimedSignature {
  kind: 'github' | 'shopify' | 'twilio';
}
/**
 * Whose clock a signature says it was made by. `host`: the machine's, as verifiers compare with theirs; nothing of a world depends on it.
 * `virtual`: the world's, at the moment of the attempt.
 */
export type SignedAt = 'host' | 'virtual';
/** As the named service signs: the time is in the signature. */
export interface TimedSignature {
  kind: 'hubspot-v3' | 'linear' | 'slack' | 'stripe';
  /** The clock of its time; without it the machine's. */
  signedAt?: SignedAt;
}
/** As standardwebhooks.com has it. */
export interface StandardSignature {
  kind: 'standard-webhooks';
  /** How the names of its three headers begin; without it, webhook. */
  headers?: 'webhook' | 'svix';
  /** The clock of its time; without it the machine's. */
  signedAt?: SignedAt;
}
export type CallbackSignature = NoSignature | PlainSignature | UntimedSignature | TimedSignature | StandardSignature;

/** Names in lower case of the headers that the sender sets: no codec may. */
export function signatureHeaders(signature: CallbackSignature): readonly string[] {
  switch (signature.kind) {
    case 'none':
      return [];
    case 'hmac-sha256':
      return [signature.header.toLowerCase()];
    case 'standard-webhooks':
      return ['id', 'timestamp', 'signature'].map((name) => `${signature.headers ?? 'webhook'}-${name}`);
    case 'github':
      return ['x-hub-signature-256'];
    case 'shopify':
      return ['x-shopify-hmac-sha256'];
    case 'twilio':
      return ['x-twilio-signature'];
    case 'hubspot-v3':
      return ['x-hubspot-signature-v3', 'x-hubspot-request-timestamp'];
    case 'linear':
      return ['linear-signature', 'linear-timestamp'];
    case 'slack':
      return ['x-slack-signature', 'x-slack-request-timestamp'];
    case 'stripe':
      return ['stripe-signature'];
  }
}

/** The header in which the scheme itself sends the delivery's id. */
export function signedIdHeader(signature: CallbackSignature): string | undefined {
  return signature.kind === 'standard-webhooks' ? `${signature.headers ?? 'webhook'}-id` : undefined;
}

/** Whether the time of the signature is the world's. */
export function isSignedVirtually(signature: CallbackSignature): boolean {
  return 'signedAt' in signature && signature.signedAt === 'virtual';
}
