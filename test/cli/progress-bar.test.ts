import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { progressBar } from '../../src/cli/progress-bar.js';
import { barText } from '../../src/reports/progress-text.js';

function terminal(isTTY: boolean): { text: string; isTTY: boolean; write(text: string): void } {
  return {
    text: '',
    isTTY,
    write(text) {
      this.text += text;
    },
  };
}

/** Timers, and the monotonic clock that they go by. */
function stoppedClock({ mock }: TestContext) {
  let nowMs = 0;
  mock.timers.enable({ apis: ['setInterval'] });
  mock.method(performance, 'now', () => nowMs);
  const jump = (ms: number): void => {
    nowMs += ms;
  };
  return {
    /** Time of which no timer hears. */
    jump,
    tick(ms: number): void {
      jump(ms);
      mock.timers.tick(ms);
    },
  };
}

test('it is shown once it takes long, follows, and leaves nothing', (t) => {
  const clock = stoppedClock(t);
  const stream = terminal(true);
  const bar = progressBar('Verifying', stream, {});
  bar.update(1, 4);
  clock.tick(399);
  assert.equal(stream.text, '');
  clock.tick(1);
  assert.match(stream.text, /Verifying {2}██████░{18} {2}25%/);
  bar.update(3, 4);
  clock.tick(80);
  assert.match(stream.text, /75%/);
  stream.text = '';
  bar.end();
  assert.doesNotMatch(stream.text, /Verifying/);
  stream.text = '';
  clock.tick(1000);
  assert.equal(stream.text, '');
});

test('work that leaves no time to a timer draws by its updates, not at each of them; what is printed has its place', (t) => {
  const clock = stoppedClock(t);
  const stream = terminal(true);
  const bar = progressBar('Compiling', stream, {});
  clock.jump(1000);
  bar.update(1, 2);
  assert.match(stream.text, /50%/);
  stream.text = '';
  bar.update(2, 2);
  assert.equal(stream.text, '');
  bar.hide();
  assert.ok(stream.text.includes('\u001b[1A') && stream.text.includes('\u001b[J'));
  bar.end();
});

test('no bar without a terminal, on a dumb one, and in CI', (t) => {
  const clock = stoppedClock(t);
  for (const [isTTY, environment] of [
    [false, {}],
    [true, { TERM: 'dumb' }],
    [true, { CI: 'true' }],
  ] as const) {
    const stream = terminal(isTTY);
    const bar = progressBar('Verifying', stream, environment);
    bar.update(1, 2);
    clock.tick(5000);
    bar.end();
    assert.equal(stream.text, '');
  }
});

test('a bar is as full as the work is done', () => {
  assert.equal(barText(0, 10), `${'░'.repeat(24)}   0%`);
  assert.equal(barText(10, 10), `${'█'.repeat(24)} 100%`);
  assert.equal(barText(99, 10), barText(10, 10));
  assert.equal(barText(3, 0), '…');
});
