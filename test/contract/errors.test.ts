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
  isErrorFrame,
  ServiceError,
} from '../../src/contract/errors.js';
import { issueCodes } from '../../src/contract/issue-codes.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';

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

test('a frame of a process is a refusal only where each of its members is one of a refusal', () => {
  const evidence = { sessionId: 's', runId: 'r', journalSeq: 1, buildHash: 'h' };
  const extra = {
    issues: [{ path: '/a', code: 'required', message: 'm' }],
    details: { a: [{ b: null }] },
    retryAfterMs: 5,
    isFinal: true,
    isUnsupported: true,
    operationId: 'op_1',
    evidence,
  };
  const frame = { code: 'control.INTERNAL', message: 'm', extra };
  assert.ok(isErrorFrame(frame) && isErrorFrame({ ...frame, extra: {} }));
  const hostile = { toString: 1, valueOf: 1 };
  const wrong: { [name: string]: unknown[] } = {
    issues: [5, { slice: 1 }, [5], [{ path: '', code: 1, message: '' }]],
    details: [5, 'x', []],
    retryAfterMs: ['1', -1, 0.5, 1e300],
    isFinal: [1],
    isUnsupported: ['yes'],
    operationId: [hostile],
    evidence: [5, { ...evidence, journalSeq: '1' }, { ...evidence, other: 1 }],
    code: ['x.Y'],
    message: ['n'],
    cause: [5],
    correlationId: [5],
    retryable: ['yes'],
    toString: [1],
  };
  for (const [name, members] of Object.entries(wrong))
    for (const member of members)
      assert.ok(!isErrorFrame({ ...frame, extra: { ...extra, [name]: member } }), `${name} ${JSON.stringify(member)}`);
  for (const code of [hostile, ['control.INTERNAL'], 5, 'toString']) assert.ok(!isErrorFrame({ ...frame, code }));
  for (const value of [null, 5, [], { ...frame, extra: null }, { ...frame, extra: [] }, { ...frame, message: hostile }])
    assert.ok(!isErrorFrame(value));
});

test('an invariant says what was promised', () => {
  invariant(true, 'fine');
  assert.throws(() => invariant(false, 'water is wet'), /invariant broken: water is wet/);
});
