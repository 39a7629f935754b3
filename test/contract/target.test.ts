// Targets, at the edges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateTarget, validateTargetDocument } from '../../src/contract/validate/validators.js';
import { type Edge, edges, integer, required, slug, stranger, text } from './edges.js';
import { externalTarget } from './samples.js';

const common = { id: 't', bindingEnvironment: { URL: 'SERVICE_HTTP_URL' }, timeoutMs: 1 };
const environmentNames: Edge = {
  at: '/bindingEnvironment',
  inside: '/X',
  fits: [undefined, {}, ...['HTTP', 'MCP', 'CLI'].flatMap((kind) => [{ X: `SERVICE_${kind}_URL` }, { X: `SERVICE_${kind}_TOKEN` }])],
  breaks: [
    [{ X: 'SERVICE_HTTP' }, 'not_one_of'],
    [{ X: 'HTTP_URL' }, 'not_one_of'],
    [{ X: 1 }, 'wrong_type'],
  ],
};
const hostNames = (at: string): Edge => ({
  at,
  inside: '/X',
  fits: [undefined, {}, { X: '_a1' }, { 'any name': 'PATH' }],
  breaks: [
    [{ X: '1A' }, 'pattern'],
    [{ X: 'A-B' }, 'pattern'],
    [{ X: '' }, 'pattern'],
  ],
});
const timeouts = (max: number): Edge => ({
  ...integer('/timeoutMs', 1, max),
  breaks: [[0, 'too_small'], [max + 1, 'too_large'], [1.5, 'not_integer'], ...required],
});
const remoteBindings: Edge[] = [
  { at: '/bindings', fits: [['http'], ['http', 'mcp', 'cli']], breaks: [[[], 'too_few'], ...required] },
  { at: '/bindings', inside: '/0', breaks: [[['direct'], 'not_one_of']] },
  { at: '/bindings', inside: '/1', breaks: [[['cli', 'cli'], 'duplicate']] },
];
const allBindings: Edge[] = [
  { at: '/bindings', fits: [['direct'], ['direct', 'http', 'mcp', 'cli']], breaks: [[[], 'too_few'], ...required] },
  {
    at: '/bindings',
    inside: '/1',
    breaks: [
      [['direct', 'stdio'], 'not_one_of'],
      [['direct', 'direct'], 'duplicate'],
    ],
  },
];
test('a name of bindingEnvironment that is none says what is one', () => {
  const target = { ...common, kind: 'module', bindings: ['direct'], module: './agent.js', bindingEnvironment: { URL: 'HTTP_URL' } };
  const result = validateTarget(target);
  const [issue] = result.ok ? [] : result.issues;
  assert.match(
    issue?.message ?? '',
    /^expected text that begins with "SERVICE_HTTP_URL_", "SERVICE_HTTP_URL", .* or "SERVICE_CLI_TOKEN", found /,
  );
});
edges('module target', validateTarget, { ...common, kind: 'module', bindings: ['direct'], module: './agent.js' }, [
  ...allBindings,
  { at: '/module', fits: [text(1024)], breaks: [['', 'too_short'], [text(1025), 'too_long'], ...required] },
  {
    at: '/export',
    fits: ['x', text(128), undefined],
    breaks: [
      ['', 'too_short'],
      [text(129), 'too_long'],
    ],
  },
  timeouts(3_600_000),
  environmentNames,
  { at: '/kind', breaks: [['modul', 'not_one_of'], ...required] },
  slug('/id'),
  stranger(''),
]);
edges('command target', validateTarget, { ...common, kind: 'command', bindings: ['http'], executable: 'node' }, [
  ...remoteBindings,
  { at: '/executable', fits: [text(1024)], breaks: [['', 'too_short'], [text(1025), 'too_long'], ...required] },
  { at: '/arguments', fits: [undefined, [], ['', text(4096)]] },
  {
    at: '/arguments',
    inside: '/1',
    breaks: [
      [['a', text(4097)], 'too_long'],
      [['a', 1], 'wrong_type'],
    ],
  },
  {
    at: '/workingDirectory',
    fits: ['x', text(1024)],
    breaks: [
      ['', 'too_short'],
      [text(1025), 'too_long'],
    ],
  },
  hostNames('/environmentFromHost'),
  timeouts(3_600_000),
  stranger(''),
]);
edges('http target', validateTarget, { ...common, kind: 'http', bindings: ['http'], url: 'http://127.0.0.1:1/a', method: 'POST' }, [
  ...remoteBindings,
  {
    at: '/url',
    fits: ['https://example.test', 'urn:x:y'],
    breaks: [['x', 'format'], ['', 'format'], ['http://a b', 'format'], ...required],
  },
  { at: '/method', fits: ['PUT'], breaks: [['GET', 'not_one_of'], ['post', 'not_one_of'], ...required] },
  hostNames('/headersFromEnvironment'),
  timeouts(3_600_000),
  stranger(''),
]);
edges('external target', validateTarget, { ...common, kind: 'external', bindings: ['cli'] }, [
  ...allBindings,
  timeouts(86_400_000),
  { at: '/module', breaks: [['x', 'unknown_property']] },
]);
edges('target document', validateTargetDocument, { schemaVersion: 1, target: externalTarget }, [
  { at: '/schemaVersion', breaks: [[0, 'not_one_of'], ...required] },
  { at: '/target', breaks: required },
  stranger(''),
]);
