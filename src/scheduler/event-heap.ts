// What is due next in virtual time: a 4-ary min-heap over typed arrays.
// Owns times, sequences and slots. Does not own what an event is: a slot is a small integer under which the caller keeps its own columns.
// Why: docs/decisions/009.
//   EVENT-HEAP-1. `pop` yields events in the order (atUs, sequence). The caller's sequences are unique, so the order is total and stable.
//   EVENT-HEAP-2. `#slots` is a permutation of 0..capacity-1: the first `size` belong to the heap's positions, the rest are free.
//   EVENT-HEAP-3. `#positions[#slots[p]] === p` for every position p below `size`.
// An empty heap that never held anything holds no array; nothing is allocated but by growth.
// Four children to a node: half the levels of a binary heap, and the four times compared lie side by side in memory.
import { invariant } from '../contract/errors.js';
import { tuning } from './tuning.js';

const noTimes = new Float64Array(0);
const noSlots = new Int32Array(0);

export class EventHeap {
  #size = 0;
  #times = noTimes;
  #sequences = noTimes;
  #slots = noSlots;
  #positions = noSlots;
  /** Sequence -> slot, made at the first cancel: most worlds never cancel, and a sift must not touch it. */
  #bySequence: Map<number, number> | undefined;

  get size(): number {
    return this.#size;
  }

  /** Infinity when nothing is scheduled, so that `headAtUs <= target` asks whether something is due. */
  get headAtUs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] as number);
  }

  /** -1 when nothing is scheduled. */
  get headSequence(): number {
    return this.#size === 0 ? -1 : (this.#sequences[0] as number);
  }

  /** Of a slot that is in the heap. */
  atUsOf(slot: number): number {
    return this.#times[this.#positions[slot] as number] as number;
  }

  /** Of a slot that is in the heap. */
  sequenceOf(slot: number): number {
    return this.#sequences[this.#positions[slot] as number] as number;
  }

  /** Takes safe integers; returns the event's slot, which stays its own until it is popped or cancelled. */
  push(atUs: number, sequence: number): number {
    if (this.#size === this.#slots.length) this.#grow(this.#size + 1);
    const slot = this.#slots[this.#size] as number;
    this.#size++;
    this.#siftUp(this.#size - 1, atUs, sequence, slot);
    this.#bySequence?.set(sequence, slot);
    return slot;
  }

  /** The slot of the least event, which is free from now on; -1 when nothing is scheduled. */
  pop(): number {
    if (this.#size === 0) return -1;
    const slot = this.#slots[0] as number;
    this.#removeAt(0);
    return slot;
  }

  /** The freed slot of the event with this sequence; -1 when it is not scheduled. */
  cancel(sequence: number): number {
    const slot = this.slotOf(sequence);
    if (slot !== -1) this.#removeAt(this.#positions[slot] as number);
    return slot;
  }

  /** -1 when no event with this sequence is scheduled. Linear the first time, then a look-up. */
  slotOf(sequence: number): number {
    if (this.#bySequence === undefined) {
      this.#bySequence = new Map();
      for (let position = 0; position < this.#size; position++) {
        this.#bySequence.set(this.#sequences[position] as number, this.#slots[position] as number);
      }
    }
    return this.#bySequence.get(sequence) ?? -1;
  }

  /**
   * Fills an empty heap in linear time; event k gets slot k. A sorted array is already a heap, so a reopened world loads its queue without
   * sifting.
   */
  load(times: Float64Array, sequences: Float64Array): void {
    invariant(this.#size === 0 && times.length === sequences.length, 'a bulk load fills an empty heap');
    this.clear();
    if (times.length === 0) return;
    this.#grow(times.length);
    this.#times.set(times);
    this.#sequences.set(sequences);
    this.#size = times.length;
    if (isSorted(times, sequences)) return;
    for (let position = (this.#size - 2) >> 2; position >= 0; position--) {
      this.#siftDown(position, this.#times[position] as number, this.#sequences[position] as number, this.#slots[position] as number);
    }
  }

  /** Slots of the `limit` least events in order; the heap stays as it is. O(limit log limit). */
  earliest(limit: number): number[] {
    const slots: number[] = [];
    // A walk from the root: the next event is always among the children of those already taken.
    const frontier = new EventHeap();
    const frontierPositions: number[] = [];
    const visit = (position: number): void => {
      if (position >= this.#size) return;
      frontierPositions[frontier.push(this.#times[position] as number, this.#sequences[position] as number)] = position;
    };
    visit(0);
    while (frontier.size > 0 && slots.length < limit) {
      const position = frontierPositions[frontier.pop()] as number;
      slots.push(this.#slots[position] as number);
      for (let child = 4 * position + 1; child <= 4 * position + 4; child++) visit(child);
    }
    return slots;
  }

  /** Empties the heap and gives its memory back. */
  clear(): void {
    this.#size = 0;
    this.#times = this.#sequences = noTimes;
    this.#slots = this.#positions = noSlots;
    this.#bySequence = undefined;
  }

  #removeAt(position: number): void {
    const slot = this.#slots[position] as number;
    if (this.#bySequence !== undefined) this.#bySequence.delete(this.#sequences[position] as number);
    const last = --this.#size;
    if (last === 0 && this.#slots.length > tuning.heapEventsKept) {
      this.clear();
      return;
    }
    const atUs = this.#times[last] as number;
    const sequence = this.#sequences[last] as number;
    const moved = this.#slots[last] as number;
    this.#slots[last] = slot;
    if (position === last) return;
    // The last event fills the gap; out of the middle it may be less than the gap's parent.
    if (position > 0 && this.#isLess(atUs, sequence, (position - 1) >> 2)) this.#siftUp(position, atUs, sequence, moved);
    else this.#siftDown(position, atUs, sequence, moved);
  }

  #isLess(atUs: number, sequence: number, position: number): boolean {
    const other = this.#times[position] as number;
    return atUs < other || (atUs === other && sequence < (this.#sequences[position] as number));
  }

  /** Moves the gap at `position` towards the root until the event fits in. */
  #siftUp(position: number, atUs: number, sequence: number, slot: number): void {
    let gap = position;
    while (gap > 0) {
      const parent = (gap - 1) >> 2;
      if (!this.#isLess(atUs, sequence, parent)) break;
      this.#place(gap, this.#times[parent] as number, this.#sequences[parent] as number, this.#slots[parent] as number);
      gap = parent;
    }
    this.#place(gap, atUs, sequence, slot);
  }

  /** Moves the gap at `position` towards the leaves until the event fits in. The hot loop: the columns are looked up once. */
  #siftDown(position: number, atUs: number, sequence: number, slot: number): void {
    const size = this.#size;
    const times = this.#times;
    const sequences = this.#sequences;
    const slots = this.#slots;
    const positions = this.#positions;
    let gap = position;
    for (let first = 4 * gap + 1; first < size; first = 4 * gap + 1) {
      const end = Math.min(first + 4, size);
      let least = first;
      let leastAtUs = times[first] as number;
      for (let child = first + 1; child < end; child++) {
        const childAtUs = times[child] as number;
        if (childAtUs > leastAtUs) continue;
        if (childAtUs === leastAtUs && (sequences[child] as number) > (sequences[least] as number)) continue;
        least = child;
        leastAtUs = childAtUs;
      }
      const leastSequence = sequences[least] as number;
      if (atUs < leastAtUs || (atUs === leastAtUs && sequence < leastSequence)) break;
      const leastSlot = slots[least] as number;
      times[gap] = leastAtUs;
      sequences[gap] = leastSequence;
      slots[gap] = leastSlot;
      positions[leastSlot] = gap;
      gap = least;
    }
    this.#place(gap, atUs, sequence, slot);
  }

  #place(position: number, atUs: number, sequence: number, slot: number): void {
    this.#times[position] = atUs;
    this.#sequences[position] = sequence;
    this.#slots[position] = slot;
    this.#positions[slot] = position;
  }

  #grow(capacity: number): void {
    const before = this.#slots.length;
    const after = Math.max(tuning.heapEventsMin, before * 2, capacity);
    const times = new Float64Array(after);
    const sequences = new Float64Array(after);
    const slots = new Int32Array(after);
    const positions = new Int32Array(after);
    times.set(this.#times);
    sequences.set(this.#sequences);
    slots.set(this.#slots);
    positions.set(this.#positions);
    for (let slot = before; slot < after; slot++) slots[slot] = positions[slot] = slot;
    this.#times = times;
    this.#sequences = sequences;
    this.#slots = slots;
    this.#positions = positions;
  }
}

function isSorted(times: Float64Array, sequences: Float64Array): boolean {
  for (let index = 1; index < times.length; index++) {
    const before = times[index - 1] as number;
    const atUs = times[index] as number;
    if (before > atUs || (before === atUs && (sequences[index - 1] as number) >= (sequences[index] as number))) return false;
  }
  return true;
}
