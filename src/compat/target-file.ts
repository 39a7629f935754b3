// A target: those that are spoken to in the words of the other runner.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import type { ReadShape } from '../contract/run/dialect.js';
import { ShapeReader } from './members.js';

export function readTarget(document: JsonValue): ReadShape {
  const reader = new ShapeReader();
  const target = isJsonObject(document) ? document.target : undefined;
  const bindings = isJsonObject(target) ? target.bindings : undefined;
  if (Array.isArray(bindings) && bindings.includes('direct'))
    reader.refuse(`/target/bindings/${bindings.indexOf('direct')}`, "the binding 'direct'", 'bindings');
  return reader.done(document);
}
