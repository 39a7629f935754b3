// What an endpoint of the control room is: a function of a caller and a checked input, in one of three kinds. dispatch.ts runs them.
import type { Authority, Role } from '../contract/authority.js';
import type { EndpointId, EndpointInput, EndpointReply } from '../contract/endpoints.js';
import type { Change, View } from './tables.js';

/** Who asks, once authenticated. */
export interface Caller {
  /** Of an identity: the one its token is scoped to, if there is such an organization; '' otherwise. */
  organizationId: string;
  /** '' of an identity. */
  credentialId: string;
  userId?: string;
  /** In every project of the organization. */
  role: Role | null;
  /** Present when a token of the identity provider speaks instead of a credential. */
  identity?: Identity;
  /** What it may do in a project of its organization. */
  authoritiesIn(projectId: string): ReadonlySet<Authority>;
}
/** What the identity provider vouches for. */
export interface Identity {
  issuer: string;
  subject: string;
  name?: string;
  /** Both as the token claims them. */
  organizationId?: string;
  role?: Role;
}
export type Call<Id extends EndpointId> = EndpointInput<Id> & { caller: Caller; correlationId: string };
export type UnsafeCall<Id extends EndpointId> = Call<Id> & { idempotencyKey: string; requestHash: string };

/** The reply of a change, and the resource it was about, for the audit trail and the store of answers. */
export interface Outcome<Reply> {
  reply: Reply;
  resource: { type: string; id: string };
}

/** Asks only. `view` is what is on the disk. */
export interface ReadEndpoint<Id extends EndpointId> {
  kind: 'read';
  run(view: View, call: Call<Id>): EndpointReply<Id> | Promise<EndpointReply<Id>>;
}
/** One catalog change: claim, effect, answer and audit event commit together. */
export interface ChangeEndpoint<Id extends EndpointId> extends Secrets<Id> {
  kind: 'change';
  apply(tx: Change, call: UnsafeCall<Id>): Outcome<EndpointReply<Id>>;
}
/**
 * Work that waits for something (a world, a compiler, a file), then one catalog change. The key is claimed durably first. After a crash a
 * retry prepares again, so `prepare` must find what an earlier life has done instead of doing it twice.
 */
export interface PreparedEndpoint<Id extends EndpointId, Prepared> extends Secrets<Id> {
  kind: 'prepared';
  prepare(view: View, call: UnsafeCall<Id>): Promise<Prepared>;
  apply(tx: Change, call: UnsafeCall<Id>, prepared: Prepared): Outcome<EndpointReply<Id>>;
}
interface Secrets<Id extends EndpointId> {
  /** A reply with a secret is stored without it and told again with it: secrets are derived, never stored (keyring.ts). */
  withoutSecret?(reply: EndpointReply<Id>): EndpointReply<Id>;
  withSecret?(stored: EndpointReply<Id>): EndpointReply<Id>;
}
// biome-ignore lint/suspicious/noExplicitAny: what `prepare` hands to `apply` is their own affair
export type Endpoint<Id extends EndpointId> = ReadEndpoint<Id> | ChangeEndpoint<Id> | PreparedEndpoint<Id, any>;
/** Each area's file makes a part of this table; control.ts lays them together, and the compiler sees that none is missing. */
export type EndpointSet<Ids extends EndpointId> = { readonly [Id in Ids]: Endpoint<Id> };
