// The names that tool code finds on what ECMAScript has: those of the oldest version of Node that is supported. A later one has more
// (`Object.groupBy`, the methods of sets and of iterators), which a world on the oldest would not have: they go. Runs inside a new vm
// context before it is locked (realm-script.ts), so it names nothing but itself and ECMAScript.
//   KNOWN-NAMES-1. The intrinsics of a realm have the same names on every version of Node, but for `Symbol.dispose` and
//     `Symbol.asyncDispose`, which V8 lets nobody take away.

type Members = { [name: PropertyKey]: unknown };

/** On every constructor and prototype, but those of which every iterator is made. */
const everywhere = ['length', 'name', 'prototype', 'constructor'];
/** By place; a symbol of ECMAScript as `@@iterator`. What is not listed has nothing that differs. */
const known: readonly (readonly [place: string, names: string])[] = [
  ['Object', 'assign getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols'],
  ['Object', 'hasOwn is preventExtensions seal create defineProperties defineProperty freeze getPrototypeOf'],
  ['Object', 'setPrototypeOf isExtensible isFrozen isSealed keys entries fromEntries values'],
  ['Object.prototype', '__defineGetter__ __defineSetter__ hasOwnProperty __lookupGetter__ __lookupSetter__ isPrototypeOf'],
  ['Object.prototype', 'propertyIsEnumerable toString valueOf __proto__ toLocaleString'],
  ['Function', ''],
  ['Function.prototype', 'arguments caller apply bind call toString @@hasInstance'],
  ['Array', 'isArray from of @@species'],
  ['Array.prototype', 'at concat copyWithin fill find findIndex findLast findLastIndex lastIndexOf pop push reverse shift'],
  ['Array.prototype', 'unshift slice sort splice includes indexOf join keys entries values forEach filter flat flatMap map'],
  ['Array.prototype', 'every some reduce reduceRight toLocaleString toString toReversed toSorted toSpliced with @@iterator'],
  ['Array.prototype', '@@unscopables'],
  ['Boolean', ''],
  ['Boolean.prototype', 'toString valueOf'],
  ['String', 'fromCharCode fromCodePoint raw'],
  ['String.prototype', 'anchor at big blink bold charAt charCodeAt codePointAt concat endsWith fontcolor fontsize fixed'],
  ['String.prototype', 'includes indexOf isWellFormed italics lastIndexOf link localeCompare match matchAll normalize padEnd'],
  ['String.prototype', 'padStart repeat replace replaceAll search slice small split strike sub substr substring sup'],
  ['String.prototype', 'startsWith toString toWellFormed trim trimStart trimLeft trimEnd trimRight toLocaleLowerCase'],
  ['String.prototype', 'toLocaleUpperCase toLowerCase toUpperCase valueOf @@iterator'],
  ['Symbol', 'for keyFor asyncIterator hasInstance isConcatSpreadable iterator match matchAll replace search'],
  ['Symbol', 'species split toPrimitive toStringTag unscopables'],
  ['Symbol.prototype', 'toString valueOf description @@toStringTag @@toPrimitive'],
  ['Number', 'isFinite isInteger isNaN isSafeInteger parseFloat parseInt MAX_VALUE MIN_VALUE NaN NEGATIVE_INFINITY'],
  ['Number', 'POSITIVE_INFINITY MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON'],
  ['Number.prototype', 'toExponential toFixed toPrecision toString valueOf toLocaleString'],
  ['BigInt', 'asUintN asIntN'],
  ['BigInt.prototype', 'toLocaleString toString valueOf @@toStringTag'],
  ['Math', 'abs acos acosh asin asinh atan atanh atan2 ceil cbrt expm1 clz32 cos cosh exp floor fround hypot'],
  ['Math', 'imul log log1p log2 log10 max min pow random round sign sin sinh sqrt tan tanh trunc E LN10 LN2'],
  ['Math', 'LOG10E LOG2E PI SQRT1_2 SQRT2 @@toStringTag'],
  ['JSON', 'parse stringify @@toStringTag'],
  ['Reflect', 'defineProperty deleteProperty apply construct get getOwnPropertyDescriptor getPrototypeOf has'],
  ['Reflect', 'isExtensible ownKeys preventExtensions set setPrototypeOf @@toStringTag'],
  ['Map', '@@species'],
  ['Map.prototype', 'get set has delete clear entries forEach keys size values @@toStringTag @@iterator'],
  ['Set', '@@species'],
  ['Set.prototype', 'has add delete clear entries forEach size values keys @@toStringTag @@iterator'],
  ['WeakMap', ''],
  ['WeakMap.prototype', 'delete get set has @@toStringTag'],
  ['WeakSet', ''],
  ['WeakSet.prototype', 'delete has add @@toStringTag'],
  ['RegExp', '@@species'],
  ['RegExp.prototype', 'exec dotAll flags global hasIndices ignoreCase multiline source sticky unicode compile toString test'],
  ['RegExp.prototype', 'unicodeSets @@match @@matchAll @@replace @@search @@split'],
  ['Error', 'stackTraceLimit'],
  ['Error.prototype', 'message toString'],
  ['ArrayBuffer', 'isView @@species'],
  ['ArrayBuffer.prototype', 'byteLength slice maxByteLength resizable resize @@toStringTag'],
  ['DataView', ''],
  ['DataView.prototype', 'buffer byteLength byteOffset getInt8 setInt8 getUint8 setUint8 getInt16 setInt16 getUint16 setUint16'],
  ['DataView.prototype', 'getInt32 setInt32 getUint32 setUint32 getFloat32 setFloat32 getFloat64 setFloat64 getBigInt64'],
  ['DataView.prototype', 'setBigInt64 getBigUint64 setBigUint64 @@toStringTag'],
  ['%TypedArray%', 'of from @@species'],
  ['%TypedArray%.prototype', 'buffer byteLength byteOffset entries keys values at copyWithin every fill filter find findIndex'],
  ['%TypedArray%.prototype', 'findLast findLastIndex forEach includes indexOf join lastIndexOf map reverse reduce reduceRight set'],
  ['%TypedArray%.prototype', 'slice some sort subarray toLocaleString toString toReversed toSorted with @@toStringTag @@iterator'],
  ['%Iterator.prototype%', '@@iterator'],
  ['%Generator.prototype%', 'next return throw @@toStringTag'],
  ['%AsyncGenerator.prototype%', 'next return throw @@toStringTag'],
  ['%AsyncIterator.prototype%', '@@asyncIterator'],
];

/** Before anything of the context is replaced, but for what has a name here. */
export function keepKnownNames(global: Members): void {
  const kept = new Map<string, Set<string>>();
  for (const [place, names] of known) {
    const before = kept.get(place) ?? new Set(place.includes('Iterator') ? [] : everywhere);
    kept.set(place, new Set([...before, ...names.split(' ')]));
  }
  for (const [place, names] of kept) {
    const owner = intrinsic(global, place);
    for (const name of Reflect.ownKeys(owner)) if (!names.has(textOf(name))) Reflect.deleteProperty(owner, name);
  }
}

function intrinsic(global: Members, place: string): object {
  const parent = Object.getPrototypeOf;
  const hidden: { readonly [place: string]: () => object } = {
    '%TypedArray%': () => parent(Uint8Array),
    '%TypedArray%.prototype': () => parent(Uint8Array).prototype,
    '%Iterator.prototype%': () => parent(parent([].values())),
    '%Generator.prototype%': () => parent(function* () {}).prototype,
    '%AsyncGenerator.prototype%': () => parent(async function* () {}).prototype,
    '%AsyncIterator.prototype%': () => parent(parent(async function* () {}).prototype),
  };
  const found = hidden[place];
  if (found !== undefined) return found();
  const [name, member] = place.split('.') as [string, string?];
  const owner = global[name] as Members;
  return (member === undefined ? owner : owner[member]) as object;
}

const textOf = (name: PropertyKey): string => (typeof name === 'symbol' ? `@@${name.description?.replace('Symbol.', '')}` : String(name));
