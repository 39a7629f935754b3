// What stands around cited entries: each with its neighbours, joined where they touch.
import { tuning } from './tuning.js';

/** Places of a list of `count`, from 0 and in order: the cited ones and their neighbours. Of many the first and the last ones. */
export function placesAround(cited: Iterable<number>, count: number): readonly number[] {
  const wanted = new Set<number>();
  for (const place of cited) {
    const from = Math.max(place - tuning.aroundEntries, 0);
    for (let near = from; near <= place + tuning.aroundEntries && near < count; near++) wanted.add(near);
  }
  const places = [...wanted].sort((left, right) => left - right);
  const half = tuning.aroundRows / 2;
  return places.length <= tuning.aroundRows ? places : [...places.slice(0, half), ...places.slice(-half)];
}
