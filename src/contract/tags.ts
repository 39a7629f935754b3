// The type-level half of typia: the tags that shapes in this module carry. `validators.ts` is the run-time half.
export type { tags } from 'typia';
