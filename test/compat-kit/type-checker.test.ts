// Responses against types: every form that the types of clients have, and those of real clients.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { RecordedExchange } from '../../src/compat-kit/definition.js';
import { typeChecker } from '../../src/compat-kit/type-checker.js';

const root = mkdtempSync(join(tmpdir(), 'drillyard-type-checker-'));
after(() => rmSync(root, { recursive: true, force: true }));
const from = pathToFileURL(join(root, 'package/compat/compat.ts')).href;
mkdirSync(join(root, 'node_modules/vendor'), { recursive: true });
writeFileSync(join(root, 'node_modules/vendor/package.json'), '{ "name": "vendor", "version": "1.0.0", "types": "index.d.ts" }');
writeFileSync(
  join(root, 'node_modules/vendor/index.d.ts'),
  `type Id = string & { readonly brand: unique symbol };
interface Base { object: 'page' | 'database'; id: Id; parent: { type: 'page'; page_id: string } | { type: 'workspace'; workspace: true } | null }
export interface Page extends Base { object: 'page'; title?: string; properties: Record<string, Property>; at: [number, number]; any: unknown; is: boolean }
export interface Database extends Base { object: 'database'; key: \`db_\${number}\`; color: Color; tags: readonly string[] | null; empty: Record<string, never> }
export type Property = { type: 'number'; number: number | null } | { type: 'rich'; rich: Array<Property> };
export enum Color { Red = 'red', Blue = 'blue' }
export interface List<T> { results: T[]; has_more: boolean }
export type Result = List<Page | Database>;
`,
);
const exchange = (body: unknown, more: Partial<RecordedExchange> = {}): RecordedExchange => ({
  ...{ method: 'GET', path: '/', query: '', requestBody: '', status: 200, headers: {} },
  body: typeof body === 'string' ? body : JSON.stringify(body),
  operation: { id: 'op', method: 'GET', path: '/' },
  ...more,
});
const checkerOf = (type: string) => {
  const check = typeChecker({ from, types: { op: type }, errors: '{ code: string; status: number }' });
  return (body: unknown, more?: Partial<RecordedExchange>) => check(exchange(body, more));
};

const page = {
  ...{ object: 'page', id: 'p', parent: { type: 'page', page_id: 'x' }, at: [1, 2], any: null, is: false },
  properties: { a: { type: 'number', number: null }, b: { type: 'rich', rich: [{ type: 'number', number: 1 }] } },
};
const database = { object: 'database', id: 'd', parent: null, key: 'db_1', color: 'red', tags: ['a'], empty: {} };
const { parent: _, ...orphan } = page;

// TYPED-VALUE-1
test('members that are not optional have to be there, and null only where the type says so', () => {
  const check = checkerOf("import('vendor').Page");
  assert.deepEqual(check(page), []);
  assert.deepEqual(check({ ...page, title: 't', beside: 1, parent: null }), []);
  assert.deepEqual(check(orphan), ["the body has no member 'parent'"]);
  assert.deepEqual(check({ ...page, title: null }), ['/title is null, not string | undefined']);
  assert.deepEqual(check({ ...page, object: 'user' }), ['/object is "user", not "page"']);
  assert.deepEqual(check({ ...page, id: 1 }), ['/id is 1, not string']);
  assert.deepEqual(check({ ...page, is: 'no' }), ['/is is "no", not boolean']);
  assert.deepEqual(check({ ...page, at: [1, '2'] }), ['/at/* is "2", not number']);
  assert.deepEqual(check([]), ['the body is a list, not Page']);
  assert.deepEqual(check('no JSON'), ['the body is no JSON']);
  assert.deepEqual(check(''), ['there is no body']);
});

test('of a union the nearest type says what is wrong, below lists and records too', () => {
  const check = checkerOf("import('vendor').Result");
  const list = (...results: unknown[]) => ({ results, has_more: false });
  assert.deepEqual(check(list(page, database, page)), []);
  assert.deepEqual(check(list()), []);
  assert.deepEqual(check(list(page, orphan, orphan)), ["/results/* has no member 'parent'"]);
  assert.deepEqual(check(list({ ...page, parent: { type: 'page' } })), ["/results/*/parent has no member 'page_id'"]);
  assert.deepEqual(check(list({ ...page, parent: { type: 'workspace', workspace: false } })), [
    '/results/*/parent/workspace is false, not true',
  ]);
  assert.deepEqual(check(list({ ...page, properties: { a: { type: 'rich', rich: [{ type: 'number' }] } } })), [
    "/results/*/properties/a/rich/* has no member 'number'",
  ]);
  assert.deepEqual(check(list({ ...database, color: 'green', tags: [1] })), [
    '/results/*/color is "green", not Color',
    '/results/*/tags/* is 1, not string',
  ]);
  assert.deepEqual(check(list({ ...database, empty: { a: 1 } })), ['/results/*/empty/a is 1, not never']);
  assert.deepEqual(check({ results: {}, has_more: false }), ['/results is an object, not (Page | Database)[]']);
});

// TYPED-VALUE-1
test('closed types have no members beside theirs, at any depth', () => {
  const check = typeChecker({ from, types: { op: "import('vendor').Result" }, closed: true });
  const list = (...results: unknown[]) => exchange({ results, has_more: false });
  assert.deepEqual(check(list(page, database)), []);
  assert.deepEqual(check(list({ ...page, beside: 1 })), ["/results/* has a member 'beside', which the type does not"]);
  assert.deepEqual(check(exchange({ results: [], has_more: true, more: 1 })), ["the body has a member 'more', which the type does not"]);
  const parent = { ...page.parent, more: 1 };
  assert.deepEqual(check(list({ ...page, parent })), ["/results/*/parent has a member 'more', which the type does not"]);
});

test('errors have a type of their own, a success without one is a finding, and what is no operation is not looked at', () => {
  const check = checkerOf("import('vendor').Page");
  assert.deepEqual(check({ code: 'c', status: 404 }, { status: 404 }), []);
  assert.deepEqual(check({ code: 'c' }, { status: 404 }), ["the body has no member 'status'"]);
  const other = { operation: { id: 'other', method: 'GET', path: '/' } };
  assert.deepEqual(check(page, other), ['no type is given for other']);
  assert.deepEqual(typeChecker({ from, types: {}, partial: true })(exchange(page)), []);
  const { operation: _operation, ...nothing } = exchange(page);
  assert.deepEqual(typeChecker({ from, types: {} })(nothing), []);
  assert.deepEqual(typeChecker({ from, types: { mine: 'number' } })({ ...nothing, routeId: 'mine' }), [
    'the body is an object, not number',
  ]);
  assert.deepEqual(checkerOf('void')(''), []);
});

// TYPE-CHECKER-1
test('a type that is not there is an error', () => {
  const nothing = checkerOf("import('vendor').Nothing");
  for (const _again of [1, 2])
    assert.throws(() => nothing(page), { code: 'control.INVALID_REQUEST', message: /has no exported member 'Nothing'/ });
  assert.throws(() => checkerOf("import('nobody').Page")(page), {
    code: 'control.INVALID_REQUEST',
    message: /Cannot find module 'nobody'/,
  });
  assert.throws(() => checkerOf('any')(page), { code: 'control.INVALID_REQUEST', message: /says nothing/ });
  assert.throws(() => checkerOf('number; export declare const more: string')(page), { code: 'control.INVALID_REQUEST' });
});

test('types of real clients say what a response lacks', () => {
  const real = typeChecker({
    from: import.meta.url,
    types: {
      label: "import('@octokit/rest').RestEndpointMethodTypes['issues']['getLabel']['response']['data']",
      charges: "import('stripe').Stripe.ApiList<import('stripe').Stripe.BalanceTransaction>",
    },
  });
  const label = { id: 1, node_id: 'n', url: 'u', name: 'bug', description: null, color: 'f00', default: true };
  const of = (id: string) => ({ operation: { id, method: 'GET', path: '/' } });
  assert.deepEqual(real(exchange(label, of('label'))), []);
  const { node_id: _node, ...without } = label;
  assert.deepEqual(real(exchange(without, of('label'))), ["the body has no member 'node_id'"]);
  assert.deepEqual(real(exchange({ object: 'list', data: [], has_more: false }, of('charges'))), ["the body has no member 'url'"]);
});
