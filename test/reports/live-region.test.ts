import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveRegion } from '../../src/reports/live-region.js';
import fc from '../fast-check.js';
import { FakeTerminal } from './fake-terminal.js';

const line = fc.stringMatching(/^[a-z ]{0,60}[a-z]$/);

test('whatever is drawn, printed and resized, what was printed stays and the last lines are below it', () => {
  const step = fc.record({
    lines: fc.array(line, { maxLength: 6 }),
    printed: fc.array(line, { maxLength: 2 }),
    columns: fc.option(fc.integer({ min: 70, max: 100 })),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const terminal = new FakeTerminal({ isTTY: true, columns: 80, rows: 50 });
      const region = new LiveRegion(terminal);
      const stayed: string[] = [];
      let last: string[] = [];
      for (const { lines, printed, columns } of steps) {
        if (columns !== null) terminal.resize({ columns });
        region.draw(lines, printed);
        stayed.push(...printed);
        last = lines;
      }
      assert.deepEqual(terminal.screen(), [...stayed, ...last].join('\n').split('\n'));
    }),
  );
});

// LIVE-REGION-2
test('lines are cut to the terminal, and rows that a smaller terminal made of them are overwritten, too', () => {
  const terminal = new FakeTerminal({ isTTY: true, columns: 60, rows: 20 });
  const region = new LiveRegion(terminal);
  region.draw(['x'.repeat(100), 'short'], ['stays']);
  assert.deepEqual(terminal.screen(), ['stays', `${'x'.repeat(58)}…`, 'short']);
  terminal.resize({ columns: 25 });
  region.draw(['after']);
  assert.deepEqual(terminal.screen(), ['stays', 'after']);
});

// LIVE-REGION-1
test('one redraw is one write', () => {
  const writes: string[] = [];
  const region = new LiveRegion({ write: (text) => writes.push(text), columns: 80, rows: 24 });
  region.draw(['a', 'b']);
  region.draw(['c'], ['d']);
  assert.equal(writes.length, 2);
});

test('a region never fills the terminal', () => {
  const terminal = new FakeTerminal({ isTTY: true, columns: 80, rows: 10 });
  const region = new LiveRegion(terminal);
  region.draw(Array.from({ length: 40 }, (_, index) => `line ${index}`));
  assert.equal(terminal.screen().length, region.linesMax);
});
