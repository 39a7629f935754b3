// The names that tool code may use without importing anything, and what diagnostics say of the ones it may not.
// The compiler's bundles take the allowed names as members of one argument: inside a vm context a global costs about 115 ns a
// mention, a local 1 ns. Everything else that V8 puts on a global object is denied, whatever a later version adds.

export const ambientNames = [
  'Object',
  'Function',
  'Array',
  'Boolean',
  'String',
  'Symbol',
  'Number',
  'BigInt',
  'Math',
  'JSON',
  'Reflect',
  'Proxy',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'RegExp',
  'Error',
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'ArrayBuffer',
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
  'Float32Array',
  'Float64Array',
  'NaN',
  'Infinity',
  'parseInt',
  'parseFloat',
  'isNaN',
  'isFinite',
  'encodeURI',
  'encodeURIComponent',
  'decodeURI',
  'decodeURIComponent',
  'escape',
  'unescape',
] as const;

const clock = 'virtual time is context.clock.nowUs(), in microseconds';
const later = 'schedule an event with context.events.scheduleAt';
const outside = 'a tool reaches nothing outside of its world';
const shared = 'worlds share nothing';
const collector = 'behavior may not depend on the garbage collector';
const synchronous = 'handlers are synchronous';
const locale = 'results may not depend on the locale of the host';
const modules = 'import relative files of the package, or drillyard/tool-sdk';
const evaluation = 'code is not made from text';

/** Names that code elsewhere has, with what to do instead. Names of V8 that are in neither list are denied without advice. */
export const deniedNames: { readonly [name: string]: string } = {
  Date: clock,
  performance: clock,
  Temporal: clock,
  setTimeout: later,
  setInterval: later,
  setImmediate: later,
  clearTimeout: later,
  clearInterval: later,
  clearImmediate: later,
  queueMicrotask: synchronous,
  Promise: synchronous,
  fetch: outside,
  XMLHttpRequest: outside,
  WebSocket: outside,
  EventSource: outside,
  process: outside,
  global: outside,
  window: outside,
  self: outside,
  navigator: outside,
  localStorage: outside,
  Buffer: 'bytes are a Uint8Array',
  console: 'what a handler has to say is its result, an error or an event',
  crypto: 'seeded randomness is context.random',
  require: modules,
  module: modules,
  exports: modules,
  __dirname: modules,
  __filename: modules,
  Intl: locale,
  eval: evaluation,
  WebAssembly: evaluation,
  ShadowRealm: evaluation,
  Atomics: shared,
  SharedArrayBuffer: shared,
  Worker: shared,
  WeakRef: collector,
  FinalizationRegistry: collector,
  gc: collector,
};

/** Methods of allowed objects that are replaced by a refusal. */
export const deniedMethods: { readonly [path: string]: string } = {
  'Math.random': 'seeded randomness is context.random',
  'String.prototype.localeCompare': `${locale}; compare with < and >`,
  'String.prototype.toLocaleLowerCase': locale,
  'String.prototype.toLocaleUpperCase': locale,
  'Object.prototype.toLocaleString': locale,
  'Array.prototype.toLocaleString': locale,
  'Number.prototype.toLocaleString': locale,
  'BigInt.prototype.toLocaleString': locale,
  'Array.fromAsync': synchronous,
};

/**
 * The form of a bundle: one function expression over the ambient names, whose value is the module's exports. `body` declares `behavior`.
 */
export function bundleFunction(body: string): string {
  return `(function($ambient){"use strict";const{${ambientNames.join(',')},globalThis,$sdk}=$ambient;${body}\nreturn behavior})`;
}
