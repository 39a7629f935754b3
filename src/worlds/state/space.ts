// One namespace of rows in one world: the rows it has touched, kept as texts and values, over the base.
//   SPACE-1. A row in `rows` is what the world has now; one that is not there is in the layers or the base, or nowhere.
//   SPACE-2. `dirty` holds each row changed since the last take once, `stale` each id changed since the last digest (while there is one).
//   SPACE-3. `order`, where made, is every live id in UTF-16 order.
import type { JsonObject } from '../../contract/json.js';
import type { JournalRow, JournalShape } from '../journal/journal-columns.js';
import { spaceShapeText } from '../journal/journal-shapes.js';
import type { SpaceName } from '../kv/space-name.js';
import type { BaseSpace } from './base.js';
import { placeOf, type SpaceDigests } from './state-hash.js';

export class Row implements JournalRow {
  readonly id: string;
  /** null: there is no such row (any more). */
  text: string | null;
  /** Parsed at first use. */
  value: JsonObject | undefined;
  serial = 0;
  idIndex = -1;
  textIndex = -1;
  isDirty = false;
  isStale = false;

  constructor(id: string, text: string | null) {
    this.id = id;
    this.text = text;
  }
}

/** An interned (packageId, instanceId, namespace): hold it, do not look it up per access. What is not of SpaceName is Records' own. */
export class Space implements SpaceName, JournalShape {
  readonly packageId: string;
  readonly instanceId: string;
  readonly namespace: string;
  readonly index: number;
  readonly base: BaseSpace | undefined;
  readonly shapeText: string;
  shapeSerial = 0;
  shapeIndex = 0;
  rows = new Map<string, Row>();
  dirty: Row[] = [];
  stale: string[] = [];
  digests: SpaceDigests | undefined;
  count: number;
  /** Some layer may hold rows of this space. */
  isStored: boolean;
  #order: readonly string[] | undefined;
  #ownsOrder = false;

  constructor(name: SpaceName, index: number, base: BaseSpace | undefined, { count, isStored }: { count: number; isStored: boolean }) {
    this.packageId = name.packageId;
    this.instanceId = name.instanceId;
    this.namespace = name.namespace;
    this.index = index;
    this.base = base;
    this.shapeText = spaceShapeText(name);
    this.count = count;
    this.isStored = isStored;
  }

  /** Undefined until made. */
  get order(): readonly string[] | undefined {
    return this.#order;
  }
  /** `ids` may be shared (the base's): it is copied before the first change. */
  setOrder(ids: readonly string[] | undefined, owned: boolean): void {
    this.#order = ids;
    this.#ownsOrder = owned;
  }

  /** An id was inserted or deleted. */
  changeMembership(rowId: string, isLive: boolean): void {
    this.count += isLive ? 1 : -1;
    if (this.#order === undefined) return;
    if (!this.#ownsOrder) this.setOrder(this.#order.slice(), true);
    const order = this.#order as string[];
    if (isLive && (order.length === 0 || (order[order.length - 1] as string) < rowId)) order.push(rowId);
    else if (isLive) order.splice(placeOf(order, rowId), 0, rowId);
    else order.splice(placeOf(order, rowId), 1);
  }
}
