// Attacks on the realm. All that tool code can catch or read must be an object of its own realm: one object of the host is the way to
// `Function`, and that is the way to the process. Two families: errors whose `stack` the host would format, and every operation with the
// stack nearly full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationsOfToolCode } from './realm-operations.js';
import { probe, resultOf } from './tool-fixture.js';

/**
 * Statements that define `foreign(value)`: whether a value belongs to another realm. The end of its chain of prototypes is asked, and
 * whether its constructors make code from text.
 */
const foreignCheck = `
  const ownRoot = Object.getPrototypeOf({});
  const foreign = (value) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
    let root = value;
    for (let next = Object.getPrototypeOf(root); next !== null; next = Object.getPrototypeOf(next)) root = next;
    return root !== ownRoot && root !== value;
  };`;

/** Each returns what it could reach of an error's stack; what it throws is checked too. */
const stackAttacks: { [way: string]: string } = {
  'a symbol as name': `const e = new Error('x'); Object.defineProperty(e, 'name', { value: Symbol('s') }); return e.stack;`,
  'a symbol as message': `const e = new Error('x'); Object.defineProperty(e, 'message', { value: Symbol('s') }); return e.stack;`,
  'a name without prototype': `const e = new Error('x'); Object.defineProperty(e, 'name', { value: Object.create(null) }); return e.stack;`,
  'a name without primitive': `const e = new Error('x');
    Object.defineProperty(e, 'name', { value: { toString: () => ({}), valueOf: () => ({}) } }); return e.stack;`,
  'captureStackTrace on such an object': `const o = { name: Symbol('s') }; Error.captureStackTrace(o); return o.stack;`,
  'a proxy in the chain of prototypes': `const seen = [];
    const trap = new Proxy(Error.prototype, { get: (target, key) => { seen.push(key); return key === 'name' ? Symbol('s') : target[key]; } });
    const e = new Error('x'); Object.setPrototypeOf(e, trap);
    const stack = e.stack;
    if (seen.some((key) => typeof key === 'symbol' && key.description === 'kIsNodeError')) throw 'the host has asked';
    return stack;`,
  'the stack nearly full': `let found; let depth = 0;
    const dig = () => { depth++; try { dig(); } catch (error) { try { found ??= error.stack; } catch (leak) { found = leak; } } };
    dig(); return found;`,
  'a class that names itself with a symbol': `class Odd extends TypeError { get name() { return Symbol('s'); } } return new Odd('x').stack;`,
  'an error that V8 made': `try { null.x } catch (e) { Object.defineProperty(e, 'name', { value: Symbol('s') }); return e.stack; }`,
  'an aggregate and its cause': `const e = new AggregateError([new Error('a')], 'x', { cause: new Error('c') });
    Object.defineProperty(e, 'name', { value: Symbol('s') }); return [e.stack, e.cause.stack, e.errors[0].stack].join('') || undefined;`,
};

// REALM-LOCKDOWN-4
test('no way of reading the stack of an error reaches the host', () => {
  for (const [way, body] of Object.entries(stackAttacks)) {
    const { run } = probe(`(input, context) => {
      ${foreignCheck}
      let reached = 'nothing';
      const attack = () => { ${body} };
      try {
        const value = attack();
        if (foreign(value)) reached = 'a value of the host';
        else if (value !== undefined) reached = 'a stack: ' + String(value);
      } catch (leak) {
        if (foreign(leak)) reached = 'an error of the host';
        else if (leak === 'the host has asked') reached = leak;
        try { leak.constructor.constructor('return process')(); reached = 'the process'; } catch {}
      }
      return reached;
    }`);
    assert.equal(resultOf(run()), 'nothing', way);
  }
});

test('the limit of stack traces cannot be set again, by any name', () => {
  const { run } = probe(`() => {
    const tries = [
      () => { Error.stackTraceLimit = 10; },
      () => { Object.defineProperty(Error, 'stackTraceLimit', { value: 10 }); },
      () => Reflect.set(Error, 'stackTraceLimit', 10),
      () => { Error.prepareStackTrace = () => 1; },
      () => { class Sub extends Error { static stackTraceLimit = 10; } return new Sub('x').stack; },
      () => Reflect.construct(Error, ['x'], class { static stackTraceLimit = 10; }).stack,
    ];
    return tries.map((attempt) => { try { return attempt() || null; } catch (error) { return error instanceof TypeError; } });
  }`);
  assert.deepEqual(resultOf(run()), [true, true, null, true, null, null]);
});

// REALM-LOCKDOWN-3
test('the prototype of the global object is out of reach: worlds of a thread share nothing through it', () => {
  const { run } = probe(`() => {
    const tries = [
      () => __proto__,
      () => { __proto__ = { shared: 1 }; },
      () => constructor,
      () => globalThis.__proto__,
      () => globalThis.constructor,
      () => Object.getPrototypeOf(globalThis),
      () => { __defineGetter__('shared', () => 1); },
      () => shared,
      () => hasOwnProperty.call({ a: 1 }, 'a'),
    ];
    return tries.map((attempt) => { try { return attempt() ?? null; } catch (error) { return error.name; } });
  }`);
  const wanted = ['Error', 'TypeError', 'Error', 'Error', 'Error', null, 'TypeError', 'ReferenceError', true];
  assert.deepEqual(resultOf(run()), wanted);
});

/** Frames of eighteen sizes: each puts the end of the stack into another function of the operation, or of the host below it. */
const alignments = 18;
/** From the deepest frame up, each with a little more space than the one below it. */
const frames = 60;

/** A handler that fills the stack and then does the operation in each of the last frames. Nothing is called to keep what is caught. */
function handlerOf(operation: string, alignment: number): string {
  const pads = Array.from({ length: alignment }, (_, index) => `p${index}`);
  return `(input, context) => {
    ${foreignCheck}
    const caught = new Array(${frames * 8}).fill(undefined);
    let count = 0, tries = 0;
    const operation = () => { ${operation} };
    const dig = (${['depth', ...pads].join(', ')}) => {
      try { dig(${['depth + 1', ...pads.map((_, index) => `depth + ${index}`)].join(', ')}); } catch (error) { caught[count++] = error; }
      if (++tries > ${frames}) return;
      try { caught[count++] = operation(); } catch (error) {
        caught[count++] = error;
        try { caught[count++] = error.stack; caught[count++] = error.cause; } catch (second) { caught[count++] = second; }
      }
    };
    dig(0);
    const left = caught.filter(foreign).length;
    // A turn in which a call of the context overflowed has no result, but the fake world keeps what was put.
    context.state.put('rows', 'found', { tries, caught: count, left });
  }`;
}

// REALM-1
test('with the stack nearly full, no operation of tool code gets an object of the host', () => {
  const leaks: string[] = [];
  for (const [name, operation] of Object.entries(operationsOfToolCode)) {
    for (let alignment = 0; alignment < alignments; alignment++) {
      const { instance, world } = probe(handlerOf(operation, alignment));
      try {
        instance.call('x', null);
      } catch (error) {
        // What overflowed inside a call of the context is the host's own error: it ends the turn and does not pass through tool code.
        assert.equal((error as Error).name, 'RangeError', `${name}: ${String(error)}`);
      }
      const { tries, caught, left } = world.rows.get('found') as { tries: number; caught: number; left: number };
      assert.ok(tries > frames && caught > frames, name);
      if (left > 0) leaks.push(`${name}, alignment ${alignment}: ${left}`);
    }
  }
  assert.deepEqual(leaks, []);
});
