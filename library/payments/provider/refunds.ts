// Giving money back: never more than was captured, first from what has not settled yet, then from the available balance.
import { balanceOf, move } from './balance.js';
import type { Capture, Charge, Context, Refund, RefundReason } from './model.js';
import { newestFirst, nextId, type Page, type PageInput, requireCharge, requireRow, rowsWhere } from './rows.js';

interface NewRefund {
  readonly chargeId: string;
  readonly amount?: number;
  readonly reason: RefundReason;
  readonly metadata?: Refund['metadata'];
}

export function createRefund(input: NewRefund, context: Context): Refund {
  const charge = requireCharge(context, input.chargeId);
  const amount = refundableAmount(context, charge, input.amount);
  const { id: chargeId, currency } = charge;
  const id = nextId(context, 'refunds');
  const amountFromPending = takeFromPending(context, charge, { refundId: id, amount });
  const amountFromAvailable = amount - amountFromPending;
  takeFromAvailable(context, charge, { refundId: id, amount: amountFromAvailable });
  const { reason, metadata = {} } = input;
  const refund = {
    id,
    chargeId,
    amount,
    currency,
    reason,
    metadata,
    amountFromPending,
    amountFromAvailable,
    createdAtUs: context.clock.nowUs(),
  };
  context.state.put('refunds', id, refund);
  context.state.put('charges', chargeId, { ...charge, amountRefunded: charge.amountRefunded + amount });
  context.events.emit('refund.created', { refundId: id, chargeId, amount, currency, reason });
  return refund;
}

export function getRefund(input: { readonly refundId: string }, context: Context): Refund {
  return requireRow(context, 'refunds', input.refundId, 'REFUND_NOT_FOUND');
}

export function listRefunds(input: PageInput & { readonly chargeId?: string }, context: Context): Page<Refund> {
  const { chargeId } = input;
  if (chargeId !== undefined) requireCharge(context, chargeId);
  const matches = (refund: Refund): boolean => chargeId === undefined || refund.chargeId === chargeId;
  return newestFirst(context, 'refunds', input, { matches, code: 'REFUND_NOT_FOUND' });
}

function refundableAmount(context: Context, charge: Charge, wished: number | undefined): number {
  const { id, status, amountCaptured, amountRefunded } = charge;
  if (amountCaptured === 0) {
    return context.fail({ code: 'CHARGE_NOT_REFUNDABLE', message: `Nothing of ${id} was captured; it is ${status}.`, details: { status } });
  }
  const amountRefundable = amountCaptured - amountRefunded;
  if (amountRefundable === 0) return context.fail({ code: 'CHARGE_ALREADY_REFUNDED', message: `All of ${id} has been refunded.` });
  const amount = wished ?? amountRefundable;
  if (amount > amountRefundable) {
    return context.fail({
      code: 'AMOUNT_EXCEEDS_REFUNDABLE',
      message: `${amountRefundable} of ${id} can be refunded, not ${amount}.`,
      details: { amountRefundable },
    });
  }
  return amount;
}

interface Taking {
  refundId: string;
  amount: number;
}

/** Takes up to `amount` from the captures that have not settled, the oldest first. Returns how much. */
function takeFromPending(context: Context, charge: Charge, { refundId, amount }: Taking): number {
  const pending = rowsWhere(context, 'captures', (capture: Capture) => capture.chargeId === charge.id && capture.status === 'pending');
  let left = amount;
  for (const capture of pending) {
    const taken = Math.min(left, capture.amount - capture.amountRefundedPending);
    if (taken === 0) continue;
    context.state.put('captures', capture.id, { ...capture, amountRefundedPending: capture.amountRefundedPending + taken });
    left -= taken;
  }
  const total = amount - left;
  if (total > 0)
    move(context, {
      kind: 'refund',
      bucket: 'pending',
      amount: -total,
      currency: charge.currency,
      chargeId: charge.id,
      sourceId: refundId,
    });
  return total;
}

function takeFromAvailable(context: Context, charge: Charge, { refundId, amount }: Taking): void {
  if (amount === 0) return;
  const { available } = balanceOf(context, charge.currency);
  if (amount > available) {
    context.fail({
      code: 'INSUFFICIENT_BALANCE',
      message: `The available balance is ${available} ${charge.currency}, not ${amount}.`,
      details: { available },
    });
  }
  move(context, {
    kind: 'refund',
    bucket: 'available',
    amount: -amount,
    currency: charge.currency,
    chargeId: charge.id,
    sourceId: refundId,
  });
}
