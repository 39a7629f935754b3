import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { aftermath, type HostEnding } from '../../src/actors/aftermath.js';
import { Call } from '../../src/actors/calls.js';
import { limits } from '../../src/contract/limits.js';

test('what becomes of a call when its host ends', () => {
  const restarted = 'world.ACTOR_RESTARTED';
  const again = 'sent again';
  const table: [HostEnding['reason'], 'command' | 'query', { running?: boolean; sameActor?: boolean; begun?: boolean }, string][] = [
    ['timeout', 'command', { running: true, begun: true }, 'world.HANDLER_TIMEOUT'],
    ['timeout', 'query', { running: true, begun: true }, 'world.HANDLER_TIMEOUT'],
    ['timeout', 'command', { sameActor: true, begun: true }, restarted],
    ['timeout', 'command', { sameActor: true }, restarted],
    ['timeout', 'query', { sameActor: true }, restarted],
    ['timeout', 'command', { begun: true }, restarted],
    ['timeout', 'command', {}, again],
    ['timeout', 'query', { begun: true }, again],
    ['crashed', 'command', { running: true, begun: true }, restarted],
    ['crashed', 'query', { running: true, begun: true }, restarted],
    ['crashed', 'command', { sameActor: true }, restarted],
    ['crashed', 'command', {}, again],
    ['killed', 'command', { running: true, begun: true }, restarted],
    ['killed', 'command', { sameActor: true }, again],
    ['killed', 'query', { running: true, begun: true }, again],
    ['killed', 'query', {}, again],
  ];
  for (const [reason, kind, { running, sameActor, begun }, expected] of table) {
    const made = call(kind, 'a');
    const other = call('command', sameActor ? 'a' : 'b');
    const ending: HostEnding = { reason, running: running ? made : other, begun: (asked) => asked === made && begun === true };
    equal(aftermath(made, ending)?.code ?? again, expected, JSON.stringify([reason, kind, running, sameActor, begun]));
  }
});

test('a call is not sent again for ever, nor when its caller has cancelled it', () => {
  const ending: HostEnding = { reason: 'killed', running: undefined, begun: () => false };
  const tired = call('command', 'a');
  tired.sends = limits.resendsMax + 1;
  equal(aftermath(tired, ending)?.code, 'world.ACTOR_RESTARTED');
  const cancelled = call('command', 'a');
  cancelled.cancelled = true;
  equal(aftermath(cancelled, ending)?.code, 'control.STATE_CONFLICT');
});

function call(kind: 'command' | 'query', actorId: string): Call {
  const made = new Call(kind, actorId, null, undefined, { ended: () => {} });
  made.reply.catch(() => {});
  made.sends = 1;
  return made;
}
