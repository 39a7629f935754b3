// What can be wrong at one place of a value, by stable code; docs/errors.md explains each.

export const issueCodes = [
  'required',
  'unknown_property',
  'wrong_type',
  'not_one_of',
  'pattern',
  'format',
  'too_short',
  'too_long',
  'not_integer',
  'too_small',
  'too_large',
  'too_few',
  'too_many',
  'duplicate',
  'conflict',
  'not_json',
  'invalid',
] as const;
export type IssueCode = (typeof issueCodes)[number];
