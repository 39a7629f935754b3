// One YAML 1.2 or JSON file as a plain value with positions: where each member and item stands.
// Both go through the same parser; JSON is then held to its own grammar. Anchors are expanded within a budget, nothing is merged,
// no tag makes anything but JSON. Of a sound JSON file (json-soundness.ts), and of a document that was read before and kept, the places are
// looked up only when somebody asks.
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type YAMLParseError,
} from 'yaml';
import { defined } from '../contract/defined.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { Provenance } from '../contract/provenance.js';
import type { ContentCache } from '../files/content-cache.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import type { Place } from './diagnostics.js';
import { soundJson } from './json-soundness.js';
import { jsonSyntaxFault } from './json-syntax.js';

export interface DocumentFault {
  code: DiagnosticCode;
  place: Place;
  message: string;
  suggestion?: string;
}
export interface SourceDocument {
  file: string;
  value: JsonValue;
  /** Where a JSON Pointer leads; of what is not there, where its nearest parent stands. `key`: the member's name rather than its value. */
  place(pointer: string, part?: 'key'): Place;
  /** Of one in another dialect: where it is said what of the shape at a path is adapted. */
  adviceOn?(path: string): string | undefined;
  /** Of a drill that was made of a case. */
  caseOf?: CaseOrigin;
}
export interface CaseOrigin {
  /** The id that the file gives. */
  drillId: string;
  /** The file as it was written. */
  drill: SourceDocument;
  /** Where the drill is declared. */
  provenance: Provenance;
}

/**
 * The document, and what is wrong with it. With faults the document may be incomplete, but it is there when its syntax is right. `cache`:
 * where YAML without faults is kept.
 */
export function parseSourceDocument(file: string, text: string, cache?: ContentCache): ParsedSource {
  if (file.endsWith('.json')) {
    const sound = soundJson(text);
    return sound === undefined
      ? parseWithPlaces(file, text)
      : { document: withLatePlaces(file, text, { ...sound, ...placeOfStart(text) }), faults: [] };
  }
  const kept = cache?.read('document', text) as KeptDocument | undefined;
  if (kept !== undefined) return { document: withLatePlaces(file, text, kept), faults: [] };
  const parsed = parseWithPlaces(file, text);
  if (parsed.document !== undefined && parsed.faults.length === 0) {
    const { line, column } = parsed.document.place('');
    cache?.keep('document', text, { value: parsed.document.value, line, column } satisfies KeptDocument);
  }
  return parsed;
}

/** Of a document without faults: its value, and where it begins. */
type KeptDocument = { value: JsonValue; line: number; column: number };

function withLatePlaces(file: string, text: string, { value, line, column }: KeptDocument): SourceDocument {
  let parsed: SourceDocument | undefined;
  const place: SourceDocument['place'] = (pointer, part) => {
    if (pointer === '') return { file, line, column, path: '' };
    parsed ??= parseWithPlaces(file, text).document;
    return parsed?.place(pointer, part) ?? { file, line: 1, column: 1, path: pointer };
  };
  return { file, value, place };
}

export interface ParsedSource {
  document?: SourceDocument;
  faults: DocumentFault[];
}

function parseWithPlaces(file: string, text: string): ParsedSource {
  const lines = new LineCounter();
  const placeAt = (offset: number, path = ''): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), path };
  };
  const parsed = parseYaml(text, lines);
  if (parsed === undefined) return { faults: [{ code: 'DY1006', place: placeAt(0), message: tooDeep }] };
  const faults = syntaxFaults(file, text, parsed.errors, placeAt);
  if (faults.length > 0) return { faults };
  const reading: Reading = {
    anchors: new Map(),
    placeAt,
    faults,
    nodesLeft: limits.documentNodesMax,
    path: [],
    json: file.endsWith('.json'),
  };
  const value = parsed.contents === null ? null : jsonOf(parsed.contents, reading);
  if (reading.json && faults.length === 0) faults.push(...jsonFaults(text, placeAt));
  return { document: { file, value, place: (pointer, part) => placeOf(parsed, pointer, part, placeAt) }, faults };
}

const tooDeep = 'the document is nested too deeply to be read';

function placeOfStart(text: string): { line: number; column: number } {
  const before = text.slice(0, text.search(/\S/));
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

/** Undefined when the parser ran out of stack, which takes thousands of nested brackets. */
function parseYaml(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    return parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: false,
      uniqueKeys: false,
      strict: true,
      prettyErrors: false,
      stringKeys: false,
      customTags: [],
      lineCounter,
      logLevel: 'error',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * What breaks the syntax. One slip makes the YAML parser report many, so what follows from a tab or a placeholder without quotes, and what
 * is not JSON in a .json file, is one.
 */
function syntaxFaults(file: string, text: string, errors: readonly YAMLParseError[], placeAt: (offset: number) => Place): DocumentFault[] {
  const tooMuch = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (tooMuch !== undefined) return [{ code: 'DY1006', place: placeAt(tooMuch.pos[0]), message: tooDeep }];
  if (errors.length > 0 && file.endsWith('.json')) return jsonFaults(text, placeAt);
  const tab = errors.find(({ code }) => code === 'TAB_AS_INDENT');
  if (tab !== undefined) {
    const message = 'a tab indents this line; YAML takes spaces only';
    return [{ code: 'DY1003', place: placeAt(tab.pos[0]), message, suggestion: 'Write two spaces for each tab of the file.' }];
  }
  const bare = errors.find(({ pos }) => text.slice(pos[0] - 1, pos[0] + 1) === '${');
  if (bare !== undefined) {
    const message = 'a placeholder between braces or brackets has no quotes, so YAML reads its braces as an object';
    const placeholder = text.slice(bare.pos[0] - 1).match(/^\$\{[^{}\n]*\}/)?.[0] ?? text.slice(bare.pos[0] - 1, bare.pos[1]);
    return [{ code: 'DY1003', place: placeAt(bare.pos[0] - 1), message, suggestion: `Write "${placeholder}".` }];
  }
  return errors.map(({ code, pos, message }): DocumentFault => {
    const place = placeAt(pos[0]);
    if (code === 'MULTIPLE_DOCS') return { code: 'DY1003', place, message: 'a second document begins here; a file holds one' };
    return { code: 'DY1003', place, message };
  });
}

/** YAML reads more than JSON; in a .json file that is an error. */
function jsonFaults(text: string, placeAt: (offset: number) => Place): DocumentFault[] {
  const fault = jsonSyntaxFault(text);
  if (fault === undefined) return [];
  const { offset, message, suggestion } = fault;
  return [{ code: 'DY1003', place: placeAt(offset), message, ...defined({ suggestion }) }];
}

interface Reading {
  anchors: Map<string, Node>;
  placeAt(offset: number, path?: string): Place;
  faults: DocumentFault[];
  nodesLeft: number;
  path: string[];
  /** Held to JSON's own grammar. */
  json: boolean;
}

function jsonOf(node: Node, reading: Reading): JsonValue {
  if (--reading.nodesLeft < 0) {
    if (reading.nodesLeft === -1)
      complain(reading, 'DY1006', node, `the document has more than ${limits.documentNodesMax} values, its aliases expanded`);
    return null;
  }
  if (reading.path.length > limits.documentDepthMax) {
    complain(reading, 'DY1006', node, `the document is nested deeper than ${limits.documentDepthMax} levels`);
    return null;
  }
  if (isAlias(node)) {
    const target = reading.anchors.get(node.source);
    if (target !== undefined) return jsonOf(target, reading);
    complain(reading, 'DY1003', node, `alias '${node.source}' has no anchor before it`);
    return null;
  }
  // In the order of the document, so that an alias finds the anchor that stands last before it.
  const { anchor } = node as { anchor?: string };
  if (anchor !== undefined) reading.anchors.set(anchor, node);
  if (isMap(node)) return objectOf(node.items as { key: Node; value: Node | null }[], reading);
  if (isSeq(node)) {
    return node.items.map((item, index) => within(reading, String(index), () => jsonOf(item as Node, reading)));
  }
  return isScalar(node) ? scalarOf(node, reading) : null;
}

function objectOf(pairs: readonly { key: Node; value: Node | null }[], reading: Reading): JsonObject {
  const names = new Set<string>();
  const object: JsonObject = {};
  for (const { key, value } of pairs) {
    const resolved = isAlias(key) ? reading.anchors.get(key.source) : key;
    if (!isScalar(resolved) || (typeof resolved.value === 'object' && resolved.value !== null)) {
      complain(reading, 'DY1005', key, 'a key is a plain text');
      continue;
    }
    // YAML reads `1:` and `true:` as a number and a truth value; as names they are what was written.
    const name = typeof resolved.value === 'string' ? resolved.value : (resolved.source ?? String(resolved.value));
    if (names.has(name)) complain(reading, 'DY1004', key, `'${name}' is given twice`);
    names.add(name);
    const member = within(reading, name, () => (value === null ? null : jsonOf(value, reading)));
    Object.defineProperty(object, name, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

const jsonWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

function scalarOf(node: Node & { value: unknown; source?: string; tag?: string; type?: string }, reading: Reading): JsonValue {
  const { value } = node;
  if (reading.json && (node.type === 'PLAIN' ? !jsonWord.test(node.source ?? '') : node.type !== 'QUOTE_DOUBLE')) {
    complain(reading, 'DY1003', node, `${node.source ?? 'this'} is not JSON`, 'Text stands in double quotes.');
    return null;
  }
  if (node.tag !== undefined && !/^tag:yaml\.org,2002:(str|int|float|bool|null)$/.test(node.tag)) {
    complain(reading, 'DY1005', node, `the tag ${node.tag} is not JSON`);
    return null;
  }
  if (typeof value === 'number') return numberOf(value, node, reading);
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (value === undefined) return null;
  complain(reading, 'DY1005', node, 'the value is not JSON');
  return null;
}

function numberOf(value: number, node: Node & { source?: string }, reading: Reading): number {
  const written = node.source ?? String(value);
  if (!Number.isFinite(value)) complain(reading, 'DY1005', node, `${written} is not a JSON number`);
  else if (/^[-+]?\d+$/.test(written) && !Number.isSafeInteger(value)) {
    complain(
      reading,
      'DY1005',
      node,
      `${written} is too large to be exact`,
      'Integers are exact up to 9007199254740991; quote a longer one to make it a string.',
    );
  }
  return Number.isFinite(value) ? value + 0 : 0;
}

function within<T>(reading: Reading, name: string, read: () => T): T {
  reading.path.push(name);
  const value = read();
  reading.path.pop();
  return value;
}

function complain({ faults, placeAt, path }: Reading, code: DiagnosticCode, node: Node, message: string, suggestion?: string): void {
  const pointer = path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  faults.push({ code, place: placeAt(node.range?.[0] ?? 0, pointer), message, ...defined({ suggestion }) });
}

function placeOf(
  parsed: Document.Parsed,
  pointer: string,
  part: 'key' | undefined,
  placeAt: (offset: number, path?: string) => Place,
): Place {
  let node: Node | null = parsed.contents as ParsedNode | null;
  let offset = node?.range?.[0] ?? 0;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const inside: Node | null | undefined = isAlias(node) ? node.resolve(parsed) : node;
    if (isMap(inside)) {
      const pair = (inside.items as { key: Node & { value?: unknown; source?: string }; value: Node | null }[]).find(
        ({ key }) => String(key.value) === name || key.source === name,
      );
      if (pair === undefined) break;
      node = pair.value;
      offset = (part === 'key' ? undefined : node?.range?.[0]) ?? pair.key.range?.[0] ?? offset;
    } else if (isSeq(inside) && inside.items[Number(name)] !== undefined) {
      node = inside.items[Number(name)] as Node;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return placeAt(offset, pointer);
}
