// Free space on the stack. Tool code may call the context with its stack nearly full; an overflow in the midst of a change would leave a
// world half changed. So a call asks first, by entering a function whose frame is large and which does nothing. It is WebAssembly because
// its frame is as large in every tier of the engine, is checked for on the way in and never filled: some 6 ns, whatever its size. An
// optimizing compiler for JavaScript would make a large frame small, and its interpreter would fill it.
import { tuning } from './tuning.js';

/** The types of Node name what a browser calls so, and not its constructors. */
interface Engine {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: { r: Reserve } };
}
type Reserve = (fill: number) => number;
let reserve: Reserve | undefined;

/** Throws RangeError (`isStackExhausted`) where the stack has less space than a call needs. */
export function reserveStack(): void {
  reserve ??= makeReserve();
  reserve(0);
}

export function isStackExhausted(error: unknown): boolean {
  return error instanceof RangeError && error.message === 'Maximum call stack size exceeded';
}

const f64 = 0x7c;
const code = {
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  get: 0x20,
  tee: 0x22,
  zero: [0x44, 0, 0, 0, 0, 0, 0, 0, 0],
  greater: 0x64,
  add: 0xa0,
  multiply: 0xa2,
};
const sections = { types: 1, functions: 3, exports: 7, codes: 10 };

/**
 * `r(x) = x > 0 ? x^2 + x^4 + x^8 + ... : x`. Each power is made of the one before it and the sum begins with the last, so all of them are
 * alive at once: that is what the frame has to hold. Its bytes are put in place one part after the other: each host makes it once, in cold
 * code, and lists of so many numbers took 75 ms.
 */
function makeReserve(): Reserve {
  const square = [code.get, 0, code.get, 0, code.multiply, code.tee, 0];
  const head = [0, code.get, 0, ...code.zero, code.greater, code.if, f64];
  const tail = [code.else, code.get, 0, code.end, code.end];
  const body = new Uint8Array(head.length + tuning.reserveFrameSlots * (square.length + 1) - 1 + tail.length).fill(code.add);
  body.set(head);
  for (let slot = 0; slot < tuning.reserveFrameSlots; slot++) body.set(square, head.length + slot * square.length);
  body.set(tail, body.length - tail.length);
  const size = leb128(body.length);
  const bytes = Buffer.concat([
    Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0),
    section(sections.types, [1, 0x60, 1, f64, 1, f64]),
    section(sections.functions, [1, 0]),
    section(sections.exports, [1, 1, 'r'.charCodeAt(0), 0, 0]),
    Uint8Array.of(sections.codes, ...leb128(1 + size.length + body.length), 1, ...size),
    body,
  ]);
  const { Instance, Module } = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
  return new Instance(new Module(bytes)).exports.r;
}

function section(id: number, content: readonly number[]): Uint8Array {
  return Uint8Array.of(id, ...leb128(content.length), ...content);
}
function leb128(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)];
}
