import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { loadTool } from '../../src/tools/load.js';
import { threadRealm } from '../../src/tools/realm.js';
import { compiledOf, everyCapability, FakeWorld, manifestOf, plain, probe, resultOf } from './tool-fixture.js';

test('a tool is loaded once a content', () => {
  const compiled = compiledOf('var behavior={default:{operations:{x:()=>1}}};', manifestOf(['x']));
  assert.equal(loadTool(compiled), loadTool(structuredClone(compiled)));
  assert.notEqual(loadTool(compiled), loadTool(compiledOf('var behavior={default:{operations:{x:()=>2}}};', manifestOf(['x']))));
});

test('two instances share no module state', () => {
  const tool = loadTool(
    compiledOf(
      'let count=0;const cache=new Map();class C{static n=0};var behavior={default:{operations:{x:()=>{cache.set(count,1);C.n++;return [++count,cache.size,C.n]}}}};',
      manifestOf(['x']),
    ),
  );
  const first = tool.instantiate(new FakeWorld());
  const second = tool.instantiate(new FakeWorld());
  assert.deepEqual(resultOf(first.call('x', null)), [1, 1, 1]);
  assert.deepEqual(resultOf(first.call('x', null)), [2, 2, 2]);
  assert.deepEqual(resultOf(second.call('x', null)), [1, 1, 1]);
});

test('handlers get state, clock, random, events, actor and source', () => {
  const { world, run } = probe(`(input, context) => {
    const { state, clock, random, events } = context;
    const { get, put } = state;
    put('rows', input.id, { n: 1, skipped: undefined });
    events.emit('made', { id: input.id });
    const scheduled = events.scheduleAt('due', { id: input.id }, clock.nowUs() + 5);
    return [get('rows', input.id), get('rows', 'none') === undefined, clock.nowUs(), random.nextFloat(), random.nextInteger(3, 9), String(random.nextU64()), scheduled,
      context.actor.id, context.source.kind, context.packageId, context.instanceId, state.scan('rows').length, state.delete('rows', input.id), state.delete('rows', input.id)];
  }`);
  assert.deepEqual(resultOf(run({ id: 'a' })), [
    { n: 1 },
    true,
    1_000_000,
    0.25,
    3,
    '1',
    'pending_2',
    'ann',
    'operation',
    'probe',
    'probe',
    1,
    true,
    false,
  ]);
  assert.deepEqual(world.events, [
    { eventId: 'made', text: '{"id":"a"}' },
    { eventId: 'due', text: '{"id":"a"}', atUs: 1_000_005 },
  ]);
});

test('a capability that is not declared is an error at the call, and only there', () => {
  const uses: { [capability: string]: string } = {
    'state.read': 'context.state.get("rows", "x")',
    'state.write': 'context.state.put("rows", "x", {})',
    'clock.read': 'context.clock.nowUs()',
    'clock.schedule': 'context.events.scheduleAt("due", {}, 5)',
    'random.draw': 'context.random.nextFloat()',
    'event.emit': 'context.events.emit("made", {})',
  };
  for (const capability of everyCapability) {
    const without = probe(`(input, context) => { ${uses[capability]}; return 'done' }`, {
      capabilities: everyCapability.filter((name) => name !== capability),
    }).run();
    assert.deepEqual(plain(without), {
      kind: 'thrown',
      message: `ContextError: the manifest does not declare the capability '${capability}'`,
      detail: `ContextError: the manifest does not declare the capability '${capability}'`,
    });
    assert.equal(resultOf(probe(`(input, context) => { ${uses[capability]}; return 'done' }`).run()), 'done');
  }
});

// LOADED-TOOL-3
test('arguments of the context are checked before the world is asked', () => {
  const wrong = {
    'context.state.get("rows")': 'rowId is a string of 1 to 512 characters',
    'context.state.get("rows", { toString: () => "x" })': 'rowId is a string of 1 to 512 characters',
    'context.state.get(5, "x")': 'namespace is a string of 1 to 512 characters',
    'context.state.put("rows", "x", [])': 'the value is an array; an object is wanted',
    'context.state.put("rows", "x", { n: 1 / 0 })': '/n is Infinity; JSON numbers are finite',
    'context.state.scan("rows", { limit: 0 })': 'limit is an integer, 1 or more',
    'context.random.nextInteger(5, 5)': 'maxExclusive is larger than min',
    'context.random.nextInteger(0.5, 5)': 'min is an integer from -(2^53 - 1) to 2^53 - 1',
    'context.events.scheduleAt("due", {}, 0.5)': 'virtualTimeUs is an integer from -(2^53 - 1) to 2^53 - 1',
  };
  for (const [use, message] of Object.entries(wrong)) {
    const result = probe(`(input, context) => ${use}`).run();
    assert.ok(result.kind === 'thrown' && result.detail.endsWith(message), `${use}: ${JSON.stringify(result)}`);
  }
});

test('a declared failure is data, by context.fail and by ToolFailure, from any class that carries the brand', () => {
  const expected = { kind: 'failure', code: 'NO_SUCH', message: 'none', retryable: true, details: { id: 1 }, keep: false };
  const options = "{ code: 'NO_SUCH', message: 'none', retryable: true, details: { id: 1 } }";
  for (const handler of [
    `(input, context) => context.fail(${options})`,
    `() => { throw new $sdk.ToolFailure(${options}) }`,
    `() => { class Mine extends $sdk.ToolFailure {} throw new Mine(${options}) }`,
  ]) {
    assert.deepEqual(JSON.parse(JSON.stringify(probe(handler).run())), expected);
  }
  const bare = probe("(input, context) => context.fail({ code: 'X', message: 'm' })").run();
  assert.deepEqual(JSON.parse(JSON.stringify(bare)), { kind: 'failure', code: 'X', message: 'm', keep: false });
  const kept = probe("(input, context) => context.fail({ code: 'X', message: 'm', keep: true })").run();
  assert.deepEqual(JSON.parse(JSON.stringify(kept)), { kind: 'failure', code: 'X', message: 'm', keep: true });
  assert.match(JSON.stringify(probe("(input, context) => context.fail({ code: 'not a code', message: 'm' })").run()), /does not match/);
});

test('of an error that V8 words itself only the class is evidence', () => {
  const result = probe('() => null.x').run();
  assert.ok(result.kind === 'thrown' && result.message === 'TypeError' && result.detail.startsWith('TypeError: Cannot read'));
  const own = probe("() => { throw new Error('mine') }").run();
  assert.ok(own.kind === 'thrown' && own.message === 'Error: mine');
});

test('whatever is thrown is described, however hostile', () => {
  for (const value of [
    '1',
    'null',
    'undefined',
    'Symbol()',
    '{}',
    'new Proxy({}, { get() { throw 1 } })',
    '{ get message() { throw 1 } }',
    'Object.create(null)',
    'Object.defineProperty(new Error(), "name", { get() { throw 1 } })',
    'new Proxy(new Error("x"), { getPrototypeOf() { throw 2 } })',
  ]) {
    assert.equal(probe(`() => { throw ${value} }`).run().kind, 'thrown', value);
  }
});

test('a handler that returns a thenable, or what is no JSON, has failed', () => {
  for (const value of ['{ then() {} }', '() => 1', 'new Map()', '{ n: NaN }', '10n'])
    assert.equal(probe(`() => (${value})`).run().kind, 'thrown', value);
  assert.equal(resultOf(probe('() => undefined').run()), null);
});

test('a scan without a limit gives every row and refuses to cut silently', () => {
  const { world, run } = probe("(input, context) => context.state.scan('rows', input ?? undefined).length");
  const row = threadRealm().admit({}).value as never;
  for (let index = 0; index < 10_000; index++) world.rows.set(`r${index}`, row);
  assert.equal(resultOf(run()), 10_000);
  world.rows.set('one more', row);
  assert.match(JSON.stringify(run()), /more than 10000 rows/);
  assert.equal(resultOf(run({ limit: 5 })), 5);
});

test('a behavior that cannot be loaded is a refusal that says why', () => {
  const refused = (body: string, reason: RegExp) => {
    const load = () => loadTool(compiledOf(body, manifestOf(['x']))).instantiate(new FakeWorld());
    assert.throws(
      load,
      (error) => error instanceof ServiceError && error.code === 'world.HANDLER_FAILED' && reason.test(error.message),
      body,
    );
  };
  refused('syntax error here', /cannot be loaded: SyntaxError/);
  refused('var behavior={default:{operations:{y:()=>1}}};', /lacks operations 'x'/);
  refused('var behavior={};', /no default export/);
  refused('var behavior={default:{operations:{x:5}}};', /operations 'x' is a function/);
  refused('throw new Error("at load");var behavior;', /at load/);
  refused('Date.now();var behavior;', /Date.now is not available/);
});

// LOADED-TOOL-2
test('validators say what breaks and where, of values of any realm', () => {
  const inputSchema = {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: { type: 'string' }, kind: { enum: ['a', { deep: [1] }] }, constructor: { type: 'string' } },
  };
  const operations = [
    {
      id: 'x',
      inputSchema,
      outputSchema: { const: { ok: true } },
      idempotency: 'none' as const,
      fidelity: 'test',
      declaredErrors: [{ code: 'GONE', retryable: true }, { code: 'BAD' }],
    },
  ];
  const tool = loadTool(compiledOf('var behavior={default:{operations:{x:()=>1}}};', manifestOf([], { operations })));
  const { validateInput, validateOutput, declaredErrors } = tool.operations.get('x') as NonNullable<ReturnType<typeof tool.operations.get>>;
  const admit = (value: unknown) => threadRealm().admit(value).value;
  for (const value of [{ id: 'a' }, { id: 'a', kind: { deep: [1] } }, { id: 'a', kind: 'a' }]) {
    assert.equal(validateInput(value), null);
    assert.equal(validateInput(admit(value)), null);
  }
  assert.equal(validateOutput(admit({ ok: true })), null);
  assert.deepEqual(validateOutput({ ok: false }), [{ path: '', code: 'const', message: 'must be {"ok":true}' }]);
  assert.deepEqual(validateInput({ id: 1, extra: true }), [
    { path: '/extra', code: 'additionalProperties', message: 'is not a known property' },
    { path: '/id', code: 'type', message: 'must be string' },
  ]);
  assert.deepEqual(
    [...declaredErrors],
    [
      ['GONE', { retryable: true }],
      ['BAD', { retryable: false }],
    ],
  );
});

test('codecs are pure, checked, and give bytes of the host', () => {
  const route = {
    id: 'r',
    operationId: 'x',
    method: 'POST' as const,
    path: '/x',
    auth: { kind: 'none' as const },
    requestBody: 'json' as const,
    response: { successStatus: 200, errors: [] },
  };
  const body = `var behavior={default:{operations:{x:()=>1},http:{r:{decode:(request)=>request.fail?(()=>{throw new Error('bad')})():({arguments:{id:request.path.id},idempotencyKey:'k'}),
    encode:({outcome})=>outcome.kind==='ok'?{headers:{etag:'1'},body:{kind:'bytes',value:new Uint8Array([1,2]),contentType:'image/png'}}:outcome.kind==='denied'?{body:{kind:'json',value:{e:1}}}:{body:{kind:'what'}}}}}};`;
  const codecs = loadTool(compiledOf(body, manifestOf(['x'], { http: [route] }))).codecs();
  const decoded = codecs.decodeHttp('r', { path: { id: '7' } });
  assert.equal(JSON.stringify(decoded), '{"kind":"value","arguments":{"id":"7"},"idempotencyKey":"k"}');
  assert.equal(codecs.decodeHttp('r', { fail: true }).kind, 'thrown');
  assert.equal(codecs.decodeHttp('none', {}).kind, 'thrown');
  const encoded = codecs.encodeHttp('r', { outcome: { kind: 'ok' } });
  assert.ok(encoded.kind === 'value' && encoded.message.body.kind === 'bytes');
  assert.deepEqual([...Buffer.from(encoded.message.body.base64, 'base64')], [1, 2]);
  assert.deepEqual(encoded.message.headers, { etag: '1' });
  assert.deepEqual(codecs.encodeHttp('r', { outcome: { kind: 'denied' } }), {
    kind: 'value',
    message: { headers: {}, body: { kind: 'json', text: '{"e":1}' } },
  });
  assert.equal(codecs.encodeHttp('r', { outcome: { kind: 'invalid' } }).kind, 'misshapen');
});
