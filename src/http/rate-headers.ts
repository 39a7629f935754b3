// What a reply says about the rate at which its caller may ask: the fields of draft-ietf-httpapi-ratelimit-headers. One policy: a bucket of
// tokens.
import type { BucketRate } from '../contract/token-bucket.js';

/** `remaining`: requests that would be let through now. */
export function rateHeaders({ perSecond, burst }: BucketRate, remaining: number): { [name: string]: string } {
  const fillSeconds = (tokens: number): number => Math.max(1, Math.ceil(tokens / perSecond));
  return {
    'ratelimit-policy': `"default";q=${burst};w=${fillSeconds(burst)}`,
    ratelimit: `"default";r=${remaining};t=${fillSeconds(burst - remaining)}`,
  };
}
