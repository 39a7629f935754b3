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

const alone = 'no other thread or process has a part in a turn';
const uninterrupted = 'nothing interrupts a handler; what happens later is an event of the tool (context.events)';
const bytes = 'bytes are a Uint8Array, and those of the world are in context.blobs';
const randomness = 'seeded randomness is context.random';
const older = 'not every supported version of Node has it';
const saying = 'what a handler has to say is its result, an error or an event';

/** Names that are denied, by what to do instead. */
const deniedFor: readonly (readonly [advice: string, names: string])[] = [
  [clock, 'performance Temporal Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver'],
  [clock, 'PerformanceObserverEntryList PerformanceResourceTiming'],
  [later, 'setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate requestAnimationFrame'],
  [synchronous, 'queueMicrotask Promise'],
  [outside, 'fetch Request Response Headers FormData XMLHttpRequest WebSocket CloseEvent EventSource process global window self'],
  [outside, 'navigator Navigator localStorage sessionStorage Storage indexedDB caches'],
  [alone, 'BroadcastChannel MessageChannel MessagePort MessageEvent Worker'],
  [uninterrupted, 'AbortController AbortSignal Event EventTarget CustomEvent ErrorEvent DOMException'],
  [bytes, 'Buffer Blob File FileReader ReadableStream ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamBYOBRequest'],
  [bytes, 'ReadableByteStreamController ReadableStreamDefaultController WritableStream WritableStreamDefaultController'],
  [bytes, 'WritableStreamDefaultWriter TransformStream TransformStreamDefaultController ByteLengthQueuingStrategy'],
  [bytes, 'CountQueuingStrategy TextEncoderStream TextDecoderStream CompressionStream DecompressionStream'],
  [saying, 'console'],
  [randomness, 'crypto Crypto CryptoKey SubtleCrypto'],
  [modules, 'require module exports __dirname __filename'],
  [locale, 'Intl'],
  [evaluation, 'eval WebAssembly ShadowRealm'],
  [shared, 'Atomics SharedArrayBuffer'],
  [collector, 'WeakRef FinalizationRegistry gc'],
  [older, 'Iterator Float16Array URLPattern DisposableStack AsyncDisposableStack SuppressedError QuotaExceededError'],
];

/** Names that code elsewhere has, with what to do instead. Names of V8 that are in neither list are denied without advice. */
export const deniedNames: { readonly [name: string]: string } = Object.fromEntries(
  deniedFor.flatMap(([advice, names]) => names.split(' ').map((name) => [name, advice])),
);

/** What tool code has beside ECMAScript: pure, and of our own making (globals/). */
export const addedNames = ['URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'atob', 'btoa', 'structuredClone'] as const;

const mentions = new RegExp(`\\b(?:${[...addedNames, 'globalThis'].join('|')})\\b`);
/** Whether the code of a bundle, as the compiler writes it, can reach one of them. */
export function mayUseAdded(code: string): boolean {
  return mentions.test(code.startsWith(bundleHead) ? code.slice(bundleHead.length) : code);
}

/** Methods of allowed objects that are replaced by a refusal. */
export const deniedMethods: { readonly [path: string]: string } = {
  'Math.random': randomness,
  'String.prototype.localeCompare': `${locale}; compare with < and >`,
  'String.prototype.toLocaleLowerCase': locale,
  'String.prototype.toLocaleUpperCase': locale,
  'Object.prototype.toLocaleString': locale,
  'Array.prototype.toLocaleString': locale,
  'Number.prototype.toLocaleString': locale,
  'BigInt.prototype.toLocaleString': locale,
  'Date.now': clock,
  'Date.prototype.toLocaleString': `${locale}; write dates with toISOString or getUTC...`,
  'Date.prototype.toLocaleDateString': `${locale}; write dates with toISOString or getUTC...`,
  'Date.prototype.toLocaleTimeString': `${locale}; write dates with toISOString or getUTC...`,
  'Array.fromAsync': synchronous,
};

const bundleHead = `(function($ambient){"use strict";const{${ambientNames.join(',')},globalThis,$sdk}=$ambient;`;
/**
 * The form of a bundle: one function expression over the ambient names, whose value is the module's exports. `body` declares `behavior`.
 * `Date` and what is added are names of the context, so that a bundle without them has the text that it had before they were there.
 */
export function bundleFunction(body: string): string {
  return `${bundleHead}${body}\nreturn behavior})`;
}
