// What an endpoint of the control plane is: a function of a caller and a checked input, in one of three kinds. dispatch.ts runs them.
import type { EndpointId, EndpointInput, EndpointReply } from '../../contract/hosted/endpoints.js';
import type { BucketRate } from '../../contract/token-bucket.js';
import type { Authority, Role } from '../../contract/world/authority.js';
import type { Change, View } from './tables.js';

/** Who asks, once authenticated. */
export interface Caller {
  /** Of an identity: the one its token is scoped to, if there is such an organization; '' otherwise. */
  organizationId: string;
  /** '' of an identity; `operator` of the operator, who is in no organization. */
  credentialId: string;
  userId?: string;
  /** The member who made the credential, where it belongs to none. */
  makerId?: string;
  /** In every project of the organization, now. */
  role: Role | null;
  /** Present when the operator's token speaks instead of a credential. */
  operator?: true;
  /** Present when a token of the identity provider speaks instead of a credential. */
  identity?: Identity;
  /** At which it may ask, and what is left of it. */
  rate?: { rate: BucketRate; remaining: number };
  /** What it may do in a project of its organization. */
  authoritiesIn(projectId: string): ReadonlySet<Authority>;
}
/** What speaks: by this it is distinguished from others of its organization. Never a secret. */
export function principalOf({ credentialId, identity, userId = '' }: Caller): string {
  return identity === undefined ? credentialId : `identity ${userId}`;
}
/** The member behind a caller: to whom it belongs, or who made it. */
export const personBehind = ({ userId, makerId }: Caller): string | undefined => userId ?? makerId;

/** What the identity provider vouches for. */
export interface Identity {
  issuer: string;
  subject: string;
  name?: string;
  /** As the token claims it; absent where that is no id of an organization. */
  organizationId?: string;
  /** As the token claims it; null for a claim that names no role. Absent where tokens claim none. */
  role?: Role | null;
}
export type Call<Id extends EndpointId> = EndpointInput<Id> & { caller: Caller; correlationId: string };
export type UnsafeCall<Id extends EndpointId> = Call<Id> & { idempotencyKey: string; requestHash: string };

/** The reply of a change, and the resource it was about, for the audit trail and the store of answers. */
export interface Outcome<Reply> {
  reply: Reply;
  resource: { type: string; id: string };
  /** What a creation was to make was there already, and is the same. */
  isKnown?: boolean;
  /** Whose audit trail it stands in. Default: that of the caller's organization. */
  organizationId?: string;
}

/** Bytes that are read as they leave. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
  readonly bytes: number;
}
/** A reply as it is served: bytes may come in pieces. */
export type ServedReply<Id extends EndpointId> = Uint8Array extends EndpointReply<Id> ? EndpointReply<Id> | ByteStream : EndpointReply<Id>;

/** Asks only. `view` is what is on the disk. */
export interface ReadEndpoint<Id extends EndpointId> {
  kind: 'read';
  run(view: View, call: Call<Id>): ServedReply<Id> | Promise<ServedReply<Id>>;
}
/** One catalog change: claim, effect, answer and audit event commit together. */
export interface ChangeEndpoint<Id extends EndpointId> extends Secrets<Id> {
  kind: 'change';
  apply(tx: Change, call: UnsafeCall<Id>): Outcome<EndpointReply<Id>>;
}
/**
 * Work that waits for something (a world, a compiler, a file), then one catalog change. The key is claimed durably first. After a crash a
 * retry prepares again, so `prepare` must find what an earlier incarnation has done instead of doing it twice.
 */
export interface PreparedEndpoint<Id extends EndpointId, Prepared> extends Secrets<Id> {
  kind: 'prepared';
  /**
   * What `prepare` would yield, where that waits for nothing: such a request is one change like any other, in the order of the requests.
   * Undefined: it has to be waited for; absent: it always has. Does nothing that lasts.
   */
  prepareAtOnce?(view: View, call: UnsafeCall<Id>): { prepared: Prepared } | undefined;
  prepare(view: View, call: UnsafeCall<Id>): Promise<Prepared>;
  apply(tx: Change, call: UnsafeCall<Id>, prepared: Prepared): Outcome<EndpointReply<Id>>;
}
interface Secrets<Id extends EndpointId> {
  /** A reply with a secret is stored without it. */
  withoutSecret?(reply: EndpointReply<Id>): EndpointReply<Id>;
  /**
   * Shows a secret again that derives from the server key (keyring.ts), of the generation that was first shown. Only who asked first sees
   * it; to others the key is used. Absent: a replay has no secret.
   */
  withSecret?(stored: EndpointReply<Id>, keyGeneration: number): EndpointReply<Id>;
}
// biome-ignore lint/suspicious/noExplicitAny: what `prepare` hands to `apply` is their own affair
export type Endpoint<Id extends EndpointId> = ReadEndpoint<Id> | ChangeEndpoint<Id> | PreparedEndpoint<Id, any>;
/** Each area's file makes a part of this table; open-control.ts lays them together, and the compiler sees that none is missing. */
export type EndpointSet<Ids extends EndpointId> = { readonly [Id in Ids]: Endpoint<Id> };
