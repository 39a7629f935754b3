import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayImport } from '../../src/tools/import-calls.js';
import { threadRealm } from '../../src/tools/realm.js';
import { probe, resultOf } from './tool-fixture.js';

/** Where V8 reads a call, and what looks for one may see a text, a pattern, a template or a comment. */
const calls = [
  "import('x')",
  'import(y, z)',
  "import('x', undefined)",
  'f(...import(y))',
  'if (false) import /* hidden */ (y)',
  'import // hidden\n(y)',
  'import.meta',
  'import.source(y)',
  'class A extends import(y) {}',
  '{ import(y)\n{} }',
  '`$' + '{`$' + '{import(y)}`}`',
  'if (y) /"/.x; import(y); "',
  'do; while (y) /"/.x; import(y); "',
  'class A extends /"/.x {} import(y); "',
  '{} /"/.x; import(y); "',
  'y.return / 1; import(y); /1',
  '"."\nimport(y)',
  '".".return / 1; import(y); /1',
  '"".if(y) / 1; import(y); /1',
  'y.\\u0069f(y) / 1; import(y); /1',
  'y\\u{61}if(y) / 1; import(y); /1',
  'of / 1; import(y); /1',
  'y++ / 1; import(y); /1',
  '07.return / 1; import(y); /1',
  '<!-- `\nimport(y) // `',
  '\n--> `\nimport(y) // `',
  'import <!-- \n(y)',
  '// \u2028import(y)',
  '// \rimport(y)',
  'void\u00a0import(y)',
  '#! `\nimport(y) // `',
];
const harmless = [
  '["import(x)", \'import(x)\', `import(x)`, /import(x)/, "\\"import(x)"]',
  '// import(x)\n/* import(x) */ 1',
  'y.import(x); y?.import(x); y.import.meta',
  '({ import(x) {return x}, get import() {return 1}, "import": 2, import: (x) => x })',
  'class A { import(x) {} static import(x) {} #import(x) {} y() { this.#import(1) } }',
  'const imports = 1; $import(imports); reimport(1)',
  'y / 2 / "import(x)" / 3',
  'if (y) /import(x)/.test(y)',
];

// IMPORT-CALLS-1, SCRIPT-TOKENS-2
test('a call of import is found wherever V8 would read one, and a word that is none is not', () => {
  for (const script of calls) assert.equal(mayImport(script), true, script);
  for (const script of harmless) assert.equal(mayImport(script), false, script);
});

// REALM-2
test('the realm takes no code that may import, whatever made it', () => {
  for (const script of calls)
    assert.throws(() => threadRealm().compileBundle(`(function () { ${script} })`, 'probe'), /the code may call it/, script);
  assert.throws(() => probe('(input) => import("x", input)'), /cannot be loaded: Error: import\(\) is not available/);
  assert.equal(resultOf(probe('(input, { import: y }) => ({ import(x) { return x; } }).import(3)').run()), 3);
});

// REALM-LOCKDOWN-1, REALM-LOCKDOWN-5
test('a promise, which no bundle of the compiler has, takes no callback and is frozen', () => {
  const { run } = probe(`(() => {
    let seen = 'nothing';
    const begin = async () => 1;
    const waiting = async () => { try { await begin(); } catch (error) { seen = error.message ?? error; } };
    return (input) => {
      if (input === 'seen') return seen;
      waiting();
      const promise = begin();
      const prototype = Object.getPrototypeOf(promise);
      const messages = ['then', 'catch', 'finally'].map((name) => { try { promise[name](() => {}); } catch (error) { return error.message; } });
      return [...messages, Object.isFrozen(prototype), prototype.constructor === undefined];
    };
  })()`);
  const refusals = ['then', 'catch', 'finally'].map(
    (name) => `Promise.prototype.${name} is not available to tool behavior: handlers are synchronous`,
  );
  assert.deepEqual(resultOf(run()), [...refusals, true, true]);
  // The microtasks of the realm run when it evaluates another script.
  probe('() => 1');
  assert.equal(resultOf(run('seen')), refusals[0]);
});
