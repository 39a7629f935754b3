import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type ErrorCode,
  errorEnvelope,
  errorFromFrame,
  errorTable,
  errorToFrame,
  invariant,
  providerError,
  ServiceError,
} from '../../src/contract/errors.js';
import { issueCodes } from '../../src/contract/issue-codes.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import fc from '../fast-check.js';

const docs = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
const codes = Object.keys(errorTable) as ErrorCode[];

test('every code is documented as it is, and every documented code exists', () => {
  const documented = [...docs.matchAll(/^\| (\d{3}) \| `([a-z]+[.][A-Z_]+)` \| (yes|no) \| (\w+) \| (.+) \|$/gm)];
  const rows = documented.map(([, status, code, retryable, source]) => ({
    code,
    status: Number(status),
    retryable: retryable === 'yes',
    source,
  }));
  assert.deepEqual(
    rows.sort((a, b) => ((a.code as string) < (b.code as string) ? -1 : 1)),
    codes.sort().map((code) => ({ code, ...errorTable[code] })),
  );
});

test('every code of an issue is documented, and every documented one exists', () => {
  const table = docs.slice(docs.indexOf('## Issues'));
  const documented = [...table.matchAll(/^\| (`.+`) \| /gm)].flatMap(([, cell]) =>
    [...(cell as string).matchAll(/`(\w+)`/g)].map(([, code]) => code),
  );
  assert.deepEqual(documented.sort(), [...issueCodes].sort());
});

test('every code fits the envelope, and control codes are of the platform', () => {
  for (const code of codes) {
    const envelope = errorEnvelope(new ServiceError(code), 'corr_1');
    assert.deepEqual(validateErrorEnvelope(envelope), { ok: true, value: envelope });
    if (code.startsWith('control.')) assert.equal(envelope.source, 'platform');
  }
});

test('an envelope carries what the refusal knows, and at most 100 issues', () => {
  const issues = Array.from({ length: 150 }, (_, index) => ({ path: `/${index}`, code: 'required', message: 'm' }));
  const error = new ServiceError('control.INVALID_REQUEST', {
    message: 'No.',
    issues,
    details: { a: 1 },
    retryAfterMs: 5,
    cause: new Error('hidden'),
  });
  assert.deepEqual(errorEnvelope(error, 'corr_1'), {
    code: 'control.INVALID_REQUEST',
    message: 'No.',
    correlationId: 'corr_1',
    retryable: false,
    source: 'platform',
    issues: issues.slice(0, 100),
    details: { a: 1 },
    retryAfterMs: 5,
  });
});

test('a refusal crosses a thread as plain data', () => {
  const error = new ServiceError('world.ACTOR_RESTARTED', { message: 'Gone.', details: { worldId: 'w' } });
  const again = errorFromFrame(structuredClone(errorToFrame(error)));
  assert.ok(again instanceof ServiceError);
  assert.deepEqual(errorToFrame(again), errorToFrame(error));
});

test("any tool's error code has an envelope that keeps it", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,20}$/), fc.string({ unit: 'grapheme' }), fc.boolean(), (code, message, retryable) => {
      const envelope = providerError({ code, message, retryable }, 'corr_1');
      assert.equal(validateErrorEnvelope(envelope).ok, true);
      assert.deepEqual([envelope.source, envelope.retryable, envelope.details?.providerCode], ['simulated_provider', retryable, code]);
    }),
  );
  const codeOf = (code: string) => providerError({ code, message: 'm', retryable: false }, 'c').code;
  assert.equal(codeOf('CARD_DECLINED'), 'world.CARD_DECLINED');
  for (const trap of ['A__B', 'A_', 'NOT_READY']) assert.equal(codeOf(trap), 'world.PROVIDER_ERROR');
});

test('an invariant says what was promised', () => {
  invariant(true, 'fine');
  assert.throws(() => invariant(false, 'water is wet'), /invariant broken: water is wet/);
});
