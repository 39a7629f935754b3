// What an Idempotency-Key has led to (docs/decisions/011): claims and stored answers. dispatch.ts calls it inside its changes.
//   IDEMPOTENCY-1. A key means one request: another request under it is refused for as long as the claim is kept.
//   IDEMPOTENCY-2. A claim without an answer is at work in this incarnation (`ClaimsAtWork`), or was left by an earlier one and may be
//     taken again.
//   IDEMPOTENCY-3. Refusals leave no claim.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.js';
import { ServiceError } from '../../contract/errors.js';
import type { EndpointRule } from '../../contract/hosted/endpoint-table.js';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import { defineTable, type View } from '../catalog/tables.js';
import type { ControlServices } from './services.js';
import { sweepListed } from './sweep-listed.js';

/** Whose key it is: another organization, project or endpoint knows nothing of it. */
export interface KeyScope {
  /** The organization, or who the identity provider says is asking. */
  holder: string;
  projectId: string | undefined;
  endpoint: string;
  key: string;
}
export interface Claim {
  claimId: string;
  requestHash: string;
  claimedAtMs: number;
  /** The reply as it may be stored. */
  answer?: StoredAnswer;
}
export interface StoredAnswer {
  reply: JsonValue;
  atMs: number;
  /** Of a reply whose secret can be shown again: to whom, and the generation of the server key it derives from. */
  secret?: { principal: string; keyGeneration: number };
}

export const claimTable = defineTable<Claim>({
  name: 'claim',
  idOf: ({ claimId }) => claimId,
  indexes: { byTime: ({ claimedAtMs, answer }) => [answer?.atMs ?? claimedAtMs] },
});

const keyShape = /^[A-Za-z0-9._:-]{8,128}$/;

/** The key of an unsafe request; undefined where none is needed. For http, before it reads the body, and for dispatch. */
export function requireIdempotencyKey({ unsafe }: EndpointRule, key: string | undefined): string | undefined {
  if (!unsafe) return undefined;
  if (key === undefined) {
    throw new ServiceError('control.IDEMPOTENCY_KEY_REQUIRED', {
      message: 'This request needs an Idempotency-Key header.',
      issues: [{ path: '/headers/idempotency-key', code: 'required', message: 'the header is missing' }],
    });
  }
  if (!keyShape.test(key)) {
    throw new ServiceError('control.IDEMPOTENCY_KEY_INVALID', {
      message: 'An Idempotency-Key has 8 to 128 characters of A-Z a-z 0-9 . _ : -',
      issues: [{ path: '/headers/idempotency-key', code: 'pattern', message: `expected text that matches ${keyShape.source}` }],
    });
  }
  return key;
}

export function claimIdOf({ holder, projectId = '', endpoint, key }: KeyScope): string {
  return `${holder} ${projectId} ${endpoint} ${key}`;
}

/** sha256 over method, path and the canonical body; over the digest of a body of bytes. */
export function requestHashOf({ method }: EndpointRule, path: string, body: unknown): string {
  const text =
    body instanceof Uint8Array
      ? createHash('sha256').update(body).digest('hex')
      : body === undefined
        ? ''
        : canonicalJson(body as JsonValue);
  return `sha256:${createHash('sha256').update(`${method}\n${path}\n${text}`).digest('hex')}`;
}

/** The claim under this id, for this very request. control.IDEMPOTENCY_KEY_REUSED for another. */
export function claimOf(view: View, claimId: string, requestHash: string): Claim | undefined {
  const claim = view.get(claimTable, claimId);
  if (claim !== undefined && claim.requestHash !== requestHash) {
    throw new ServiceError('control.IDEMPOTENCY_KEY_REUSED', { message: 'The Idempotency-Key was used for another request.' });
  }
  return claim;
}

/** Claims whose request is being worked on in this incarnation. */
export class ClaimsAtWork {
  readonly #ids = new Set<string>();

  /** control.IDEMPOTENCY_IN_PROGRESS while another request has it. */
  enter(claimId: string): void {
    if (this.#ids.has(claimId)) {
      throw new ServiceError('control.IDEMPOTENCY_IN_PROGRESS', {
        message: 'The first request with this Idempotency-Key is still being worked on.',
        retryAfterMs: limits.idempotencyRetryAfterMs,
      });
    }
    this.#ids.add(claimId);
  }
  leave(claimId: string): void {
    this.#ids.delete(claimId);
  }
  has(claimId: string): boolean {
    return this.#ids.has(claimId);
  }
}

/** Forgets claims that were kept long enough, and are not at work. */
export async function purgeClaims(
  services: Pick<ControlServices, 'catalog' | 'log' | 'nowMs' | 'damageLogged'>,
  { atWork, isOver }: { atWork: ClaimsAtWork; isOver(): boolean },
): Promise<void> {
  const { nowMs } = services;
  await sweepListed(services, {
    table: claimTable,
    index: 'byTime',
    limit: limits.purgeRecordsMax,
    isOver,
    isDue: ({ claimedAtMs, answer }) => (answer?.atMs ?? claimedAtMs) + limits.idempotencyKeptMs < nowMs(),
    work: (tx, { claimId }) => {
      if (atWork.has(claimId)) return false;
      tx.remove(claimTable, claimId);
      return true;
    },
  });
}
