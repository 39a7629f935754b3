// What an agent says it used: tokens, calls of models, money. The host's reality: no world knows it, and no hash of evidence depends on it.
import { isRecord } from '../json.js';
import { limits } from '../limits.js';
import type { tags } from '../tags.js';

type UsageCount = number & tags.Type<'int64'> & tags.Minimum<0> & tags.Maximum<1000000000000>;

/** As the agent counts it; nobody checks it. What it does not say is absent, not zero. Sums stay at the bounds of their members. */
export interface AgentUsage {
  /**
   * With those that a cache answered.
   * @example 18250
   */
  inputTokens?: UsageCount;
  /** @example 941 */
  outputTokens?: UsageCount;
  /**
   * The part of `inputTokens` that a cache answered.
   * @example 16000
   */
  cachedInputTokens?: UsageCount;
  /** @example 4 */
  modelCalls?: UsageCount;
  /**
   * US dollars. Sums are kept to a billionth.
   * @example 0.0421
   */
  costUsd?: number & tags.Minimum<0> & tags.Maximum<1000000>;
}

const maxima: { readonly [K in keyof Required<AgentUsage>]: number } = {
  inputTokens: limits.usageCountMax,
  outputTokens: limits.usageCountMax,
  cachedInputTokens: limits.usageCountMax,
  modelCalls: limits.usageCountMax,
  costUsd: limits.usageCostUsdMax,
};
const names = Object.keys(maxima) as (keyof AgentUsage)[];

/** Asked where an agent runs, too, so without the generated checks, which take long to load. */
function usageFault(value: unknown): string | undefined {
  if (!isRecord(value)) return 'is no object';
  for (const [name, used] of Object.entries(value)) {
    if (!Object.hasOwn(maxima, name)) return `has the member "${name}"; its members are ${names.join(', ')}`;
    const max = maxima[name as keyof AgentUsage];
    const fits = typeof used === 'number' && used >= 0 && used <= max && (name === 'costUsd' || Number.isInteger(used));
    if (!fits) return `has a ${name} that is no ${name === 'costUsd' ? 'number' : 'integer'} from 0 to ${max}`;
  }
  return undefined;
}

export function isUsage(value: unknown): value is AgentUsage {
  return usageFault(value) === undefined;
}

/** What an agent passes to its context; throws for what is no usage. */
export function requireUsage(value: unknown): AgentUsage {
  const fault = usageFault(value);
  if (fault !== undefined) throw new TypeError(`The usage ${fault}.`);
  return { ...(value as AgentUsage) };
}

/** Undefined where nothing was said. */
export function sumUsage(parts: Iterable<AgentUsage | undefined>): AgentUsage | undefined {
  let sum: AgentUsage | undefined;
  for (const part of parts) {
    if (part === undefined) continue;
    sum ??= {};
    for (const name of names) if (part[name] !== undefined) sum[name] = bounded(name, (sum[name] ?? 0) + part[name]);
  }
  return sum;
}

/** Of all interactions of an attempt. */
export function usageOf({ interactions }: { interactions: readonly { targetResult: { usage?: AgentUsage } }[] }): AgentUsage | undefined {
  return sumUsage(interactions.map(({ targetResult }) => targetResult.usage));
}

function bounded(name: keyof AgentUsage, value: number): number {
  // A sum of fractions of a cent shows no rounding error of its binary digits.
  return Math.min(name === 'costUsd' ? Math.round(value * 1e9) / 1e9 : value, maxima[name]);
}
