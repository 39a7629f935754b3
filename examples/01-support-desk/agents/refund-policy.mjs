// What the help center's refund policy says, and what follows from it for one ticket. No calls in here: only reading and deciding.

const dayUs = 86_400_000_000;

/** The rules in the policy's text. A policy that does not say them in these words is refused rather than guessed. */
export function readPolicy(text) {
  const days = /within (\d+) days/.exec(text);
  const limit = /Support may refund up to (\d+)\.(\d\d) EUR/.exec(text);
  if (!days || !limit) throw new Error('the refund policy is not written as this agent can read it');
  return {
    daysMax: Number(days[1]),
    supportLimit: cents(limit),
    duplicatesAnyTime: /[Dd]uplicate charges are refunded at any time/.test(text),
  };
}

/** What the requester asks for: which order, whether it was charged twice, and how much if a sum is named. */
export function readRequest(ticket) {
  const text = `${ticket.subject}\n${ticket.description}`;
  const sum = /(\d+)\.(\d\d) EUR/.exec(text);
  return {
    orderId: /order (\d+)/.exec(text)?.[1],
    chargedTwice: /charged twice|two payments/i.test(text),
    amount: sum ? cents(sum) : undefined,
  };
}

/** One of { refund: { chargeId, amount, reason } }, { handOver: why } and { decline: why }. */
export function decide({ policy, request, charges, nowUs, isBilling }) {
  const paid = charges.filter((charge) => charge.metadata.orderId === request.orderId && charge.amountCaptured > charge.amountRefunded);
  const refund = request.chargedTwice
    ? duplicateOf(paid)
    : paid.length === 1
      ? { charge: paid[0], reason: 'requested_by_customer' }
      : undefined;
  if (refund === undefined) {
    return { decline: request.chargedTwice ? 'we found only one payment for this order' : 'we found no payment that matches your request' };
  }
  const { charge, reason } = refund;
  const anyTime = reason === 'duplicate' && policy.duplicatesAnyTime;
  if (!anyTime && nowUs - charge.createdAtUs > policy.daysMax * dayUs)
    return { decline: `payments can be refunded within ${policy.daysMax} days` };
  const amount = Math.min(request.amount ?? Number.POSITIVE_INFINITY, charge.amountCaptured - charge.amountRefunded);
  if (amount > policy.supportLimit && !isBilling) return { handOver: `${euros(amount)} is more than support may refund` };
  return { refund: { chargeId: charge.id, amount, reason } };
}

export const euros = (amount) => `${(amount / 100).toFixed(2)} EUR`;

/** Two payments of one amount for one order: the later one is too many. Charges come newest first. */
function duplicateOf(paid) {
  const [later, earlier] = paid;
  return paid.length === 2 && later.amount === earlier.amount ? { charge: later, reason: 'duplicate' } : undefined;
}

const cents = ([, whole, hundredths]) => Number(whole) * 100 + Number(hundredths);
