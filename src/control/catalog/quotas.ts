// How many of a thing an organization may have. Each count is a record that moves in the change that makes or ends the thing.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { organizationTable } from './organization-records.js';
import type { ControlSettings } from './settings.js';
import { type Change, defineTable, type View } from './tables.js';

interface Counter {
  name: string;
  count: number;
}
export const counterTable = defineTable<Counter>({ name: 'counter', idOf: ({ name }) => name, indexes: {} });

export type QuotaName = keyof ControlSettings['quotas'];
export interface QuotaUse {
  organizationId: string;
  name: QuotaName;
  /** Default 1. */
  amount?: number;
}

/** Counts something that begins; control.QUOTA_EXCEEDED when there would be too many. */
export function takeQuota(tx: Change, { settings }: { settings: ControlSettings }, use: QuotaUse): void {
  const { organizationId, name, amount = 1 } = use;
  const max = quotaMax(tx, settings, use);
  const used = countOf(tx, quotaCounter(use));
  if (used + amount > max) {
    throw new ServiceError('control.QUOTA_EXCEEDED', {
      message: `The organization may have ${max} of these at once.`,
      details: { quota: name, organizationId, max, used },
      retryAfterMs: limits.quotaRetryAfterMs,
    });
  }
  moveCount(tx, quotaCounter(use), amount);
}

/** Counts something that has ended. */
export function returnQuota(tx: Change, use: QuotaUse): void {
  moveCount(tx, quotaCounter(use), -(use.amount ?? 1));
}

export function quotaUsed(view: View, use: QuotaUse): number {
  return countOf(view, quotaCounter(use));
}

/** The organization's own, or what the service gives to each. */
export function quotaMax(view: View, { quotas }: Pick<ControlSettings, 'quotas'>, { organizationId, name }: QuotaUse): number {
  return view.get(organizationTable, organizationId)?.quotas?.[name] ?? quotas[name];
}

export function countOf(view: View, name: string): number {
  return view.get(counterTable, name)?.count ?? 0;
}

export function moveCount(tx: Change, name: string, by: number): void {
  const count = countOf(tx, name) + by;
  if (count < 0) throw new Error(`the count ${name} fell below zero`);
  if (count === 0) tx.remove(counterTable, name);
  else tx.put(counterTable, { name, count });
}

const quotaCounter = ({ organizationId, name }: QuotaUse): string => `quota ${organizationId} ${name}`;
