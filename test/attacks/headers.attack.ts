// An open route of a tenant's tool, asked as a browser would: it cannot speak for everything else of its origin.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endWell, engines, newParty, openAgent, publish, startGround } from './kit.js';
import { originHeaders, pageFiles } from './sources.js';

for (const engine of engines) {
  test(`${engine}: a route sets no header of its origin, and its page is in a sandbox`, { timeout: 120_000 }, async (t) => {
    const ground = await startGround('thread', { engine });
    const attacker = await newParty(ground, 'attacker');
    const { worldHttpUrl } = await openAgent(attacker.client, await publish(attacker, pageFiles()), 'pages');
    const page = await fetch(`${worldHttpUrl}/page`);
    assert.deepEqual([page.status, await page.text()], [200, '<script>1</script>']);
    assert.match(page.headers.get('content-security-policy') ?? 'none', /sandbox/);
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    for (const [name, value] of Object.entries(originHeaders)) {
      const reply = await fetch(`${worldHttpUrl}/page?name=${name}`);
      await reply.arrayBuffer();
      t.diagnostic(`${name}: ${reply.status}, ${reply.headers.get(name)}`);
      assert.notEqual(reply.headers.get(name), value, name);
    }
    await endWell(ground, t);
  });
}
