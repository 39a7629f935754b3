// The base: a program's prepared starting rows, immutable, stored once a data file and held once a host. Worlds read through
// their own changes to it, so that creating, resetting and forking a world never copy it.
import { canonicalJson } from '../../contract/canonical-json.js';
import type { JsonObject } from '../../contract/json.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import { compareNames, type SpaceName, spaceKey } from '../kv/space-name.js';
import { decodeTexts, encodeTexts, type TextTable } from '../kv/text-table.js';
import { namespaceDigest, rowLinePrefix, SpaceDigests, stateDigest } from './state-hash.js';

/** Parses a row's canonical text; the result is deeply frozen. */
export type ParseRow = (text: string) => JsonObject;

export class BaseSpace implements SpaceName {
  readonly packageId: string;
  readonly instanceId: string;
  readonly namespace: string;
  /** In UTF-16 order. */
  readonly ids: readonly string[];
  readonly #texts: TextTable;
  readonly #parse: ParseRow;
  readonly #values: (JsonObject | undefined)[] = [];
  #places: Map<string, number> | undefined;
  #digests: SpaceDigests | undefined;

  constructor(name: SpaceName, ids: readonly string[], texts: TextTable, parse: ParseRow) {
    this.packageId = name.packageId;
    this.instanceId = name.instanceId;
    this.namespace = name.namespace;
    this.ids = ids;
    this.#texts = texts;
    this.#parse = parse;
  }

  has(rowId: string): boolean {
    return this.#place(rowId) !== undefined;
  }
  text(rowId: string): string | undefined {
    const place = this.#place(rowId);
    return place === undefined ? undefined : this.#texts.at(place);
  }
  /** Parsed once, for all worlds of the host. */
  value(rowId: string): JsonObject | undefined {
    const place = this.#place(rowId);
    if (place === undefined) return undefined;
    this.#values[place] ??= this.#parse(this.#texts.at(place));
    return this.#values[place];
  }

  /** Bucket members and digests; worlds start from a copy. */
  get digests(): SpaceDigests {
    if (this.#digests === undefined) {
      this.#digests = new SpaceDigests();
      for (const id of this.ids) this.#digests.admit(id);
      const prefix = rowLinePrefix(this);
      while (this.#digests.rehashOne(prefix, (id) => this.text(id) as string));
    }
    return this.#digests;
  }

  #place(rowId: string): number | undefined {
    this.#places ??= new Map(this.ids.map((id, place) => [id, place]));
    return this.#places.get(rowId);
  }
}

export class Base {
  /** Ordered by (packageId, instanceId, namespace); none is empty. The place of each is its index in every world. */
  readonly spaces: readonly BaseSpace[];
  #stateHash: string | undefined;

  constructor(spaces: readonly BaseSpace[]) {
    this.spaces = spaces;
  }

  get stateHash(): string {
    this.#stateHash ??= stateDigest(this.spaces.map((space) => ({ ...nameOf(space), digest: namespaceDigest(space.digests) })));
    return this.#stateHash;
  }
}

/** Applies the patches in order: the later one wins, instanceId is the packageId where none is given. Returns the stored form. */
export function prepareBase(patches: readonly StatePatch[]): Buffer {
  const spaces = new Map<string, { name: SpaceName; rows: Map<string, string> }>();
  for (const patch of patches) {
    const name = { packageId: patch.packageId, instanceId: patch.instanceId ?? patch.packageId, namespace: patch.namespace };
    const key = spaceKey(name);
    let space = spaces.get(key);
    if (space === undefined) {
      space = { name, rows: new Map() };
      spaces.set(key, space);
    }
    if (patch.action === 'upsert') space.rows.set(patch.rowId, canonicalJson(patch.value));
    else space.rows.delete(patch.rowId);
  }
  const full = [...spaces.values()].filter((space) => space.rows.size > 0).sort((a, b) => compareNames(a.name, b.name));
  const names: string[] = [];
  const ids: string[] = [];
  const texts: string[] = [];
  for (const { name, rows } of full) {
    names.push(name.packageId, name.instanceId, name.namespace, String(rows.size));
    for (const id of [...rows.keys()].sort()) {
      ids.push(id);
      texts.push(rows.get(id) as string);
    }
  }
  return joinTables([encodeTexts(names), encodeTexts(ids), encodeTexts(texts)]);
}

export function decodeBase(bytes: Buffer, parse: ParseRow): Base {
  const [names, ids, texts] = splitTables(bytes).map(decodeTexts) as [TextTable, TextTable, TextTable];
  const spaces: BaseSpace[] = [];
  let first = 0;
  for (let at = 0; at < names.count; at += 4) {
    const count = Number(names.at(at + 3));
    const from = first;
    const own = Array.from({ length: count }, (_, index) => ids.at(from + index));
    const name = { packageId: names.at(at), instanceId: names.at(at + 1), namespace: names.at(at + 2) };
    spaces.push(new BaseSpace(name, own, { count, at: (index) => texts.at(from + index) }, parse));
    first += count;
  }
  return new Base(spaces);
}

const nameOf = ({ packageId, instanceId, namespace }: SpaceName): SpaceName => ({ packageId, instanceId, namespace });

function joinTables(tables: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  for (const table of tables) {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(table.length, 0);
    parts.push(length, table);
  }
  return Buffer.concat(parts);
}
function splitTables(bytes: Buffer): Buffer[] {
  const tables: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    tables.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return tables;
}
