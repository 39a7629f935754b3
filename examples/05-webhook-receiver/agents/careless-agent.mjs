// Pays out whatever anybody says has settled, as often as it is said.
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { call, receive, waitUntil } from './world.mjs';

const { task } = JSON.parse(await text(process.stdin));
const { customerId, amounts, untilUs } = task.input;

const receiver = await receive('a secret that nobody looks at', async (_, body) => {
  const { data } = JSON.parse(body);
  await call('payout.create', { amount: data.amount, currency: data.currency }, randomUUID());
  return 200;
});

for (const [index, amount] of amounts.entries()) {
  await call('charge.create', { customerId, amount, currency: 'eur', token: 'tok_visa' }, `charge:${index}`);
}
await waitUntil(untilUs);
receiver.close();
