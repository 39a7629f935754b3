// Templates against paths: which route answers, and with which values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachAmbiguousPair } from '../../src/contract/world/ambiguous-routes.js';
import { areAmbiguousFrom, segmentKey, templateFault, templateSegments } from '../../src/contract/world/route-template.js';
import { sharedKeys } from '../../src/contract/world/wire-mounts.js';
import { decodePathValues, PathTable } from '../../src/http/path-table.js';
import fc from '../fast-check.js';

const table = (...paths: string[]) =>
  new PathTable(
    paths.map((path) => {
      const [method = '', template = ''] = path.includes(' ') ? path.split(' ') : ['GET', path];
      return { method, path: template };
    }),
  );
function answer(from: ReturnType<typeof table>, path: string, method = 'GET'): unknown {
  const found = from.find(method, path);
  if (found.kind !== 'match') return found.kind === 'method' ? found.methods : undefined;
  return [found.route.path, { ...decodePathValues(found.values) }];
}

test('a literal goes before affixes, longer affixes before shorter, those before a name, and that before a rest', () => {
  const files = table('/f/a.json', '/f/{id}.json', '/f/v{id}.json', '/f/{id}', '/f/{all...}', '/f/{all...}/raw', '/f/{all...}/x/raw');
  const expected: [path: string, template: string | undefined, values: object][] = [
    ['/f/a.json', '/f/a.json', {}],
    ['/f/b.json', '/f/{id}.json', { id: 'b' }],
    ['/f/v7.json', '/f/v{id}.json', { id: '7' }],
    ['/f/v.json', '/f/{id}.json', { id: 'v' }],
    ['/f/.json', '/f/{id}', { id: '.json' }],
    ['/f/b', '/f/{id}', { id: 'b' }],
    ['/f/a/b%2Fc/%C3%A9', '/f/{all...}', { all: 'a/b/c/é' }],
    ['/f/a//b/', '/f/{all...}', { all: 'a//b/' }],
    ['/f/a/raw', '/f/{all...}/raw', { all: 'a' }],
    ['/f/raw', '/f/{id}', { id: 'raw' }],
    ['/f/raw/raw', '/f/{all...}/raw', { all: 'raw' }],
    ['/f/a/x/raw', '/f/{all...}/x/raw', { all: 'a' }],
    ['/f/', undefined, {}],
    ['/f', undefined, {}],
  ];
  for (const [path, template, values] of expected)
    assert.deepEqual(answer(files, path), template === undefined ? undefined : [template, values], path);
});

test('a verb after a value, and slashes that are part of one', () => {
  const sheets = table('GET /s/{id}', 'POST /s/{id}:batchUpdate', 'PUT /s/{id}/values/{range}:append', 'GET /refs/{ref}');
  assert.deepEqual(answer(sheets, '/s/1:batchUpdate', 'POST'), ['/s/{id}:batchUpdate', { id: '1' }]);
  assert.deepEqual(answer(sheets, '/s/1:batchUpdate', 'DELETE'), ['GET', 'POST']);
  assert.deepEqual(answer(sheets, '/s/1/values/A1:B2:append', 'PUT'), ['/s/{id}/values/{range}:append', { id: '1', range: 'A1:B2' }]);
  assert.deepEqual(answer(sheets, '/refs/heads%2Ffeat%2Fx'), ['/refs/{ref}', { ref: 'heads/feat/x' }]);
});

test('templates that are none, and pairs that no order decides between', () => {
  const wrong: [path: string, message: RegExp][] = [
    ['/a/{b', /a parameter is one in braces/],
    ['/a/{b}{c}', /a parameter is one in braces/],
    ['/a/x{b...}', /a parameter is one in braces/],
    ['/a/{1}', /begins with a digit/],
    ['/a/{b}/{b...}', /'b' twice/],
    ['/a/{b...}/{c}', /after '\{b\.\.\.\}'/],
    ['/a/{b...}/{c...}', /after '\{b\.\.\.\}'/],
    ['/a//b', /empty segment/],
  ];
  for (const [path, message] of wrong) assert.match(templateFault(path) ?? '', message, path);
  for (const path of ['/', '/a', '/{a}', '/{a}.json', '/v{a}', '/{a...}', '/{a...}/b/c', '/{a}:b/{c}'])
    assert.equal(templateFault(path), undefined, path);
  const pairs: [one: string, other: string, ambiguous: boolean][] = [
    ['/a{x}', '/{x}b', true],
    ['/a{x}', '/{x}b/c', false],
    ['/a{x}/c', '/{x}b/{y}', true],
    ['/a{x}/{r...}', '/{x}b/c', true],
    ['/a{x}', '/b{x}', false],
    ['/{x}.json', '/{x}.tar.json', false],
    ['/a{x}.json', '/{x}.json', false],
    ['/q/a{x}', '/r/{x}b', false],
  ];
  for (const [one, other, ambiguous] of pairs) {
    assert.equal(areAmbiguous(one, other), ambiguous, `${one} ${other}`);
    assert.equal(areAmbiguous(other, one), ambiguous, `${other} ${one}`);
  }
});

/** Two at a time: where they differ first. */
function areAmbiguous(one: string, other: string): boolean {
  const [left, right] = [templateSegments(one), templateSegments(other)];
  const place = left.findIndex((segment, index) => right[index] === undefined || segmentKey(segment) !== segmentKey(right[index]));
  return areAmbiguousFrom(place, left, right);
}

test('of many routes the pairs are those that are found two at a time', () => {
  const segment = fc.constantFrom('a', 'ab', '{x}', 'a{x}', 'ab{x}', 'c{x}', '{x}b', '{x}ab', 'a{x}b', '{x...}');
  const route = fc.record({
    method: fc.constantFrom('GET', 'POST'),
    path: fc
      .array(segment, { minLength: 1, maxLength: 3 })
      .map((parts) => `/${parts.map((part, index) => part.replace('x', `x${index}`)).join('/')}`)
      .filter((path) => templateFault(path) === undefined),
  });
  fc.assert(
    fc.property(fc.array(route, { maxLength: 30 }), (routes) => {
      const pairs: string[] = [];
      const named = routes.map((one, index) => ({ ...one, index }));
      eachAmbiguousPair(named, (one, other) => pairs.push([one.index, other.index].sort((a, b) => a - b).join()));
      const expected = named.flatMap((one) =>
        named
          .filter((other) => other.index > one.index && other.method === one.method && areAmbiguous(one.path, other.path))
          .map((other) => `${one.index},${other.index}`),
      );
      assert.deepEqual(pairs.sort(), expected.sort());
    }),
    { numRuns: 300 },
  );
});

test('to find which routes several packages have, each template is read a few times, however many there are', () => {
  let reads = 0;
  const routes = Array.from({ length: 400 }, (_, index) => ({
    packageId: index % 2 === 0 ? 'left' : 'right',
    method: 'GET' as const,
    get path() {
      reads += 1;
      return index < 2 ? ['/y/a{id}', '/y/{id}b'][index]! : `/x/c${index}-{id}`;
    },
  }));
  assert.deepEqual([...sharedKeys(routes)].sort(), ['GET y/a{}', 'GET y/{}b']);
  assert.ok(reads <= 4 * routes.length, String(reads));
});

/** What a template fits, written again from its text. */
function fits(template: string, path: string): boolean {
  const pattern = template
    .replace(/[.:]/g, '\\$&')
    .replace(/\{\w+(?:\\\.){3}\}/g, '.+')
    .replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path);
}

test('some template answers where one fits, the same one in any order of the routes', () => {
  const segment = fc.constantFrom('a', 'b', 'ab', '{x}', 'a{x}', '{x}b', 'a{x}b', '{x...}');
  const template = fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .map((parts) => `/${parts.map((part, index) => part.replace('x', `x${index}`)).join('/')}`)
    .filter((path) => templateFault(path) === undefined);
  const path = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'aab', 'abb', 'c', ''), { minLength: 1, maxLength: 5 })
    .map((parts) => `/${parts.join('/')}`);
  const key = (text: string): string => text.replace(/x\d/g, '');
  fc.assert(
    fc.property(
      fc.uniqueArray(template, { minLength: 1, maxLength: 6, selector: key }),
      fc.array(path, { maxLength: 10 }),
      (templates, paths) => {
        const sound = templates.filter((one, index) => !templates.slice(0, index).some((other) => areAmbiguous(one, other)));
        const [forward, backward] = [table(...sound), table(...[...sound].reverse())];
        for (const asked of paths) {
          const found = answer(forward, asked);
          assert.deepEqual(found, answer(backward, asked));
          assert.equal(
            found !== undefined,
            sound.some((one) => fits(one, asked)),
            `${sound} ${asked}`,
          );
          if (found !== undefined) assert.ok(fits((found as [string])[0], asked), `${found} ${asked}`);
          assert.deepEqual([...forward.fitting(asked)].map((route) => route.path).sort(), sound.filter((one) => fits(one, asked)).sort());
        }
      },
    ),
    { numRuns: 300 },
  );
});
