// The laws of invoices: lines make the total, what was paid came in by a charge or outside of Stripe, and what was not asked for is in the
// customer's balance.
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

export function wrongInvoices({ charges = {}, customers = {}, intents = {}, invoices = {}, lines = {}, payments = {} }) {
  const wrong = [];
  const expect = (is, what) => is || wrong.push(what);
  const all = Object.values(invoices);
  for (const invoice of all) {
    const { id, amount_due, amount_paid, amount_paid_off_stripe, amount_remaining, status, total } = invoice;
    expect(total === sum(linesOf(lines, id).map(({ amount }) => amount)), `the lines of ${id} are not ${total}`);
    expect(amount_paid + amount_remaining === amount_due, `${id}: ${amount_paid} and ${amount_remaining} are not ${amount_due}`);
    expect((amount_remaining === 0 && status !== 'draft') === (status === 'paid') || amount_due === 0, `${id} is ${status}`);
    const own = Object.values(payments).filter((payment) => payment.invoice === id);
    const received = sum(own.map(({ payment }) => intents[payment.payment_intent]?.amount_received ?? 0));
    expect(amount_paid === received + amount_paid_off_stripe, `${id} says ${amount_paid}, and ${received} came in`);
    for (const payment of own) wrong.push(...wrongPayment(payment, intents, charges));
  }
  for (const { id, balance = 0 } of Object.values(customers)) {
    const counted = all.filter(({ customer, status }) => customer === id && ['open', 'paid', 'uncollectible'].includes(status));
    const carried = sum(counted.map(({ total, amount_due }) => total - amount_due));
    expect(balance === carried, `the balance of ${id} is ${balance}, and its invoices leave ${carried}`);
  }
  return wrong;
}

const linesOf = (lines, id) => Object.values(lines).filter(({ invoice }) => invoice === id);

/** A payment is paid when, and only when, its intent took the money. */
function wrongPayment({ id, amount_paid, amount_requested, payment, status }, intents, charges) {
  const intent = intents[payment.payment_intent];
  const captured = sum(
    Object.values(charges)
      .filter((charge) => charge.payment_intent === intent.id)
      .map(({ amount_captured }) => amount_captured),
  );
  const isRight =
    intent.amount === amount_requested &&
    intent.amount_received === captured &&
    (amount_paid ?? 0) === captured &&
    (status === 'paid') === (intent.status === 'succeeded') &&
    (status === 'canceled') === (intent.status === 'canceled');
  return isRight ? [] : [`${id} is ${status} with ${amount_paid}, and ${intent.id} is ${intent.status} with ${captured}`];
}
