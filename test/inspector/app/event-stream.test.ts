import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamParser } from '../../../src/inspector/app/state/event-stream.js';
import fc from '../../fast-check.js';

const stream =
  ': hello\n\nevent: run\ndata: {"a":1}\n\nevent: evidence\r\ndata: one\r\ndata: two\r\n\r\ndata:bare\nid: 7\n\nevent: empty\n\n';
const events = [
  { type: 'run', data: '{"a":1}' },
  { type: 'evidence', data: 'one\ntwo' },
  { type: 'message', data: 'bare' },
];

test('events come out whole, however the stream is cut', () => {
  assert.deepEqual(new EventStreamParser().push(stream), events);
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
      const places = [0, ...cuts.sort((left, right) => left - right), stream.length];
      const parser = new EventStreamParser();
      const pieces = places.slice(1).map((to, index) => stream.slice(places[index], to));
      assert.deepEqual(
        pieces.flatMap((piece) => parser.push(piece)),
        events,
      );
    }),
  );
});
