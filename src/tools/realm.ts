// The realm: where tool code runs. One vm context a thread, made on first use, shared by every tool and every world of the thread.
// Why: docs/decisions/005.
//   REALM-1. Nothing of the host's realm is ever visible in it: values are admitted copies, functions are made inside, errors are
//     translated.
//   REALM-2. A bundle holds no `import()`, whatever made it (import-calls.ts): the promise of an import is rejected with an error of the
//     host. Nor does one of the compiler hold an async function.
import { constants, createContext, Script } from 'node:vm';
import { JsonRefusal } from '../contract/json-check.js';
import { findJsonFault } from '../contract/json-fault.js';
import { limits } from '../contract/limits.js';
import type { Capability } from '../contract/world/tool-manifest.js';
import { addedNames, ambientNames, deniedMethods, deniedNames, mayUseAdded } from './ambient.js';
import type * as added from './globals/added-globals.js';
import { mayImport } from './import-calls.js';
import { type AdmittedValue, type ContextCalls, type Realm, refusalBrand, type ToolInstance } from './loaded-tool.js';
import type * as inside from './realm-inside.js';
import type { freezeAll, lockDown } from './realm-lockdown.js';
import { addedScript, insideScript, lockdownScript } from './realm-script.js';

type Inside = typeof inside;
/** A behavior as it lives in the realm: only ever passed to it again. */
export type RealmBehavior = ReturnType<Inside['evaluateBundle']>;
export type Bundle = Parameters<Inside['evaluateBundle']>[0];

export interface OpenRealm extends Realm {
  /** Compiles the code of a bundle; the result makes a behavior each time it is evaluated. Throws where the code may import. */
  compileBundle(code: string, name: string): Bundle;
  evaluateBundle(bundle: Bundle): RealmBehavior;
  evaluateDeclarative(namespaces: readonly string[]): RealmBehavior;
  missingHandlers: Inside['missingHandlers'];
  bind(behavior: RealmBehavior, calls: ContextCalls, capabilities: readonly Capability[]): ToolInstance;
  runCodec: Inside['runCodec'];
  /** What code of the realm threw, as text. */
  describe(error: unknown): string;
}

let ofThisThread: OpenRealm | undefined;

export function threadRealm(): OpenRealm {
  ofThisThread ??= openRealm();
  return ofThisThread;
}

function openRealm(): OpenRealm {
  // A microtask queue of its own, which nothing drains between turns. No callback waits in it: promises take none (realm-lockdown.ts).
  const context = createContext(globalTemplate(), {
    name: 'drillyard tools',
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: 'afterEvaluate',
  });
  const run = (code: string, filename: string): unknown => new Script(code, { filename }).runInContext(context);
  const { lockDown: lock, freezeAll: freeze } = run(lockdownScript(), 'drillyard:lockdown') as {
    lockDown: typeof lockDown;
    freezeAll: typeof freezeAll;
  };
  const lists = { ambientNames, addedNames, deniedNames, deniedMethods, arrayItemsMax: limits.toolArrayItemsMax };
  const { ambient, provide } = lock(run('globalThis', 'drillyard:global') as object, lists);
  let hasAdded = false;
  const add = (): void => {
    if (!hasAdded) provide((run(addedScript(), 'drillyard:added') as (ambient: object) => typeof added)(ambient).addedGlobals);
    hasAdded = true;
  };
  const { shared, ...realm } = (run(insideScript(), 'drillyard:inside') as (ambient: object) => Inside)(ambient);
  freeze(shared);
  const names = run(
    '(function (ambient, sdk) { return Object.freeze({ __proto__: null, ...ambient, $sdk: sdk }); })',
    'drillyard:names',
  ) as (...parts: object[]) => object;
  const bundleNames = names(ambient, realm.sdk);
  return {
    admit: (value) => admitInto(realm, value),
    revive: realm.revive,
    compileBundle: (code, name) => {
      if (mayImport(code)) throw new Error('import() is not available to tool behavior, and the code may call it');
      if (mayUseAdded(code)) add();
      return run(code, `drillyard:${name}`) as Bundle;
    },
    evaluateBundle: (bundle) => realm.evaluateBundle(bundle, bundleNames),
    evaluateDeclarative: realm.evaluateDeclarative,
    missingHandlers: realm.missingHandlers,
    bind: (behavior, calls, capabilities) => realm.bindBehavior(behavior, calls, capabilities, refusalBrand),
    runCodec: realm.runCodec,
    describe: (error) => {
      const fault = realm.faultOf(error);
      return fault.kind === 'thrown' ? fault.detail || fault.message : `${fault.code}: ${fault.message}`;
    },
  };
}

/**
 * An ordinary global object where this Node makes one: no function of the host stands behind its names. Before Node 20.18 the global
 * reads from an object of the host; its prototype is null, so that no name is found on the host's Object.prototype.
 */
function globalTemplate(): object {
  return (constants.DONT_CONTEXTIFY as unknown as object | undefined) ?? Object.create(null);
}

/** The realm's refusal is an error of the realm; the host's callers know their own class. */
function admitInto(realm: Omit<Inside, 'shared'>, value: unknown): AdmittedValue {
  try {
    return realm.admit(value);
  } catch (error) {
    if (!realm.isJsonRefusal(error)) throw error;
    throw new JsonRefusal(findJsonFault(value) ?? { path: '', reason: 'not_plain', message: 'changes while it is read' });
  }
}
