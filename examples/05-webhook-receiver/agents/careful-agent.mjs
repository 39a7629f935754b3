// Pays out what the provider says has settled. Three things make it safe: the signature is checked before the body is believed, a delivery
// that came before is answered and not acted on, and the payout's idempotency key is the delivery's id, so that even a crash between acting
// and remembering pays once.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { call, receive, waitUntil } from './world.mjs';

const { task } = JSON.parse(await text(process.stdin));
const { customerId, amounts, untilUs, notReady = 0 } = task.input;
const secret = randomBytes(32).toString('hex');
const paid = new Set();
let asked = 0;

const receiver = await receive(secret, async (headers, body) => {
  asked += 1;
  if (asked <= notReady) return 503;
  if (!isSigned(headers['payments-signature'], body)) return 401;
  const deliveryId = headers['payments-delivery'];
  if (paid.has(deliveryId)) return 200;
  const { data } = JSON.parse(body);
  await call('payout.create', { amount: data.amount, currency: data.currency }, `payout:${deliveryId}`);
  paid.add(deliveryId);
  return 200;
});

for (const [index, amount] of amounts.entries()) {
  await call('charge.create', { customerId, amount, currency: 'eur', token: 'tok_visa' }, `charge:${index}`);
}
await waitUntil(untilUs);
receiver.close();
console.log(JSON.stringify({ paidOut: paid.size }));

/** Over the bytes of the body as they came, in a time that tells nothing about where it differs. */
function isSigned(signature, body) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(signature ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
