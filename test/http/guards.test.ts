// Host and Origin: one check, and what each kind of listener lets in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { type HostRule, requireHost } from '../../src/http/guards.js';
import type { ServerRequest } from '../../src/http/server.js';

const publicUrl = 'https://yard.example:8443';

function outcome(rule: HostRule, headers: { [name: string]: string }): string {
  try {
    requireHost(rule)({ headers: new Map(Object.entries(headers)) } as unknown as ServerRequest);
    return 'let in';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code;
  }
}
const outcomes = (rule: HostRule, key: 'host' | 'origin', values: readonly string[]): string[] => [
  ...new Set(values.map((value) => outcome(rule, { host: 'localhost', [key]: value }))),
];

const rejected = ['control.ORIGIN_REJECTED'];
const loopbackHosts = ['localhost', 'LOCALHOST:1', '127.0.0.1:80', '[::1]', '[::1]:65535'];
const publicHosts = ['yard.example', 'Yard.Example:8443', 'yard.example:1'];
const otherHosts = ['evil.example', 'yard.example.evil.example', 'xyard.example', 'localhost.', '127.0.0.2', '0.0.0.0', '[::2]:80'];
const malformed = [
  '',
  ' ',
  'localhost:',
  'localhost:65536',
  'localhost:99999',
  'a@localhost',
  'localhost/x',
  'a, b',
  '[::1',
  'yard.example:x',
];

test('a Host is a loopback name, the public one, or, where others call the server by names of their own, a well-formed one', () => {
  for (const rule of [{}, { publicUrl }, { publicUrl, pages: 'host' as const }]) {
    assert.deepEqual(outcomes(rule, 'host', loopbackHosts), ['let in']);
    assert.deepEqual(outcomes(rule, 'host', publicHosts), 'publicUrl' in rule ? ['let in'] : rejected);
    assert.deepEqual(outcomes(rule, 'host', [...otherHosts, ...malformed]), rejected);
    assert.equal(outcome(rule, {}), 'control.ORIGIN_REJECTED');
  }
  const any = { publicUrl, hosts: 'any' as const };
  assert.deepEqual(outcomes(any, 'host', [...loopbackHosts, ...publicHosts, ...otherHosts]), ['let in']);
  assert.deepEqual(outcomes(any, 'host', malformed), ['control.INVALID_REQUEST']);
  assert.equal(outcome(any, {}), 'control.INVALID_REQUEST');
});

test('a page is of loopback, or of the public origin; of worlds, of the public name', () => {
  const loopbackPages = ['http://localhost', 'https://127.0.0.1:3000', 'http://[::1]:1'];
  const ownPages = ['https://yard.example:8443'];
  const nearPages = ['https://yard.example', 'http://yard.example:8443', 'https://yard.example:1'];
  const foreign = [
    'null',
    '',
    'https://evil.example',
    'file://yard.example',
    'yard.example',
    'https://yard.example@evil.example',
    'https://a@localhost',
    'http://localhost:1@evil.example',
    'http://localhost/x',
    'http://localhost:99999',
  ];
  for (const rule of [{}, { publicUrl }, { publicUrl, hosts: 'any' as const }, { publicUrl, pages: 'host' as const }]) {
    assert.deepEqual(outcomes(rule, 'origin', loopbackPages), ['let in']);
    assert.deepEqual(outcomes(rule, 'origin', ownPages), 'publicUrl' in rule ? ['let in'] : rejected);
    assert.deepEqual(outcomes(rule, 'origin', nearPages), 'pages' in rule ? ['let in'] : rejected);
    assert.deepEqual(outcomes(rule, 'origin', foreign), rejected);
  }
});
