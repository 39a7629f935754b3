// Constraints at their edges: the last value that fits, the first that does not. One row a member, tests made of rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Validation } from '../../src/contract/validate/validators.js';

type Validate = (value: unknown) => Validation<unknown>;
export interface Edge {
  /** JSON Pointer of the member that is set. */
  at: string;
  fits?: unknown[];
  /** Pairs of a value and the code of its one issue, at the same path. */
  breaks?: [unknown, string][];
  /** Paths inside `at` where the issue lies instead. */
  inside?: string;
}

export function edges(what: string, validate: Validate, base: unknown, rows: readonly Edge[]): void {
  test(`${what}: the sound document is sound`, () => assert.deepEqual(validate(base), { ok: true, value: base }));
  for (const { at, fits = [], breaks = [], inside = '' } of rows) {
    test(`${what}${at}: edges`, () => {
      for (const value of fits) {
        const document = withMember(base, at, value);
        assert.deepEqual(validate(document), { ok: true, value: document }, shown(value));
      }
      for (const [value, code] of breaks) {
        const result = validate(withMember(base, at, value));
        assert.ok(!result.ok, `${shown(value)} must not fit`);
        assert.deepEqual(
          result.issues.map((issue) => ({ path: issue.path, code: issue.code })),
          [{ path: at + inside, code }],
          shown(value),
        );
        assert.ok((result.issues[0]?.message.length ?? 0) > 10);
      }
    });
  }
}
const shown = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, 80);

/** undefined removes the member. */
function withMember(base: unknown, pointer: string, value: unknown): unknown {
  const copy = structuredClone(base);
  const keys = pointer.slice(1).split('/');
  const last = keys.pop() as string;
  const holder = keys.reduce((parent, key) => parent[key] as Holder, copy as Holder);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return copy;
}
type Holder = { [key: string]: unknown };

export const text = (length: number) => 'x'.repeat(length);
export const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
export const safe = Number.MAX_SAFE_INTEGER;
export const required: [undefined, string][] = [[undefined, 'required']];
export const slugs: Edge = {
  at: '',
  fits: ['a', 'a1', 'support-desk', 'a_b', 'a-b_c2', text(96)],
  breaks: [
    [text(97), 'too_long'],
    ...['', 'A', '1a', '-a', 'a-', 'a--b', 'a__b', 'a-_b', 'a.b', 'a b', 'ä', 'a\n'].map((bad): [string, string] => [bad, 'pattern']),
    [1, 'wrong_type'],
    [null, 'wrong_type'],
  ],
};
export const slug = (at: string): Edge => ({ ...slugs, at });
export const dotted = (at: string): Edge => ({
  at,
  fits: ['a', 'tickets.create', 'a-b.c_d.e', text(160)],
  breaks: [[text(161), 'too_long'], ...['', '.a', 'a.', 'a..b', 'A.b', 'a.1'].map((bad): [string, string] => [bad, 'pattern'])],
});
export const title = (at: string): Edge => ({
  at,
  fits: ['x', text(200), undefined],
  breaks: [
    ['', 'too_short'],
    [text(201), 'too_long'],
  ],
});
export const integer = (at: string, min: number, max: number): Edge => ({
  at,
  fits: [min, max],
  breaks: [
    [min - 1, 'too_small'],
    [max + 1, 'too_large'],
    [String(min), 'wrong_type'],
    [null, 'wrong_type'],
    ...(max - min > 2 ? ([[min + 0.5, 'not_integer']] as [number, string][]) : []),
  ],
});
export const virtualTime = (at: string): Edge => ({
  ...integer(at, -safe, safe),
  breaks: [
    [-safe - 1, 'too_small'],
    [safe + 1, 'too_large'],
    [0.5, 'not_integer'],
    ['0', 'wrong_type'],
  ],
});
export const items = (at: string, item: (index: number) => unknown, min: number, max: number): Edge => ({
  at,
  fits: [Array.from({ length: max }, (_, index) => item(index)), Array.from({ length: min }, (_, index) => item(index))],
  breaks: [
    [Array.from({ length: max + 1 }, (_, index) => item(index)), 'too_many'],
    ...(min > 0 ? ([[[], 'too_few']] as [unknown, string][]) : []),
  ],
});
export const idPattern = (at: string, prefix: string, digits = 'z'): Edge => ({
  at,
  fits: [`${prefix}_${digits.repeat(12)}`, `${prefix}_${'0'.repeat(32)}`],
  breaks: [`${prefix}_${'0'.repeat(11)}`, `${prefix}_${'0'.repeat(33)}`, `${prefix}_${'A'.repeat(12)}`, `x${prefix}_${'0'.repeat(12)}`].map(
    (bad): [string, string] => [bad, 'pattern'],
  ),
});
export const hash = (at: string): Edge => ({
  at,
  fits: [digest],
  breaks: [digest.slice(0, -1), `${digest}0`, digest.toUpperCase(), digest.slice(7), `md5:${digest.slice(7)}`].map(
    (bad): [string, string] => [bad, 'pattern'],
  ),
});
export const stranger = (at: string): Edge => ({ at: `${at}/stranger`, breaks: [[1, 'unknown_property']] });
