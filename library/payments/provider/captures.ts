// Taking the money that a charge holds, and settling it two days later.
import { move } from './balance.js';
import { type Capture, type Charge, type Context, dayUs, type PaymentTypes } from './model.js';
import { nextId, requireCharge } from './rows.js';

const settlementDelayUs = 2 * dayUs;

export function captureCharge(input: { readonly chargeId: string; readonly amount?: number }, context: Context): Charge {
  const charge = requireCharge(context, input.chargeId);
  const { status, amountCapturable } = charge;
  if (amountCapturable === 0) {
    return context.fail({ code: 'CHARGE_NOT_CAPTURABLE', message: `${charge.id} is ${status} and holds nothing.`, details: { status } });
  }
  const amount = input.amount ?? amountCapturable;
  if (amount > amountCapturable) {
    return context.fail({
      code: 'AMOUNT_EXCEEDS_CAPTURABLE',
      message: `${charge.id} holds ${amountCapturable}, not ${amount}.`,
      details: { amountCapturable },
    });
  }
  const taken = takeMoney(context, charge, amount);
  context.events.emit('charge.captured', { chargeId: charge.id, captureId: taken.capture.id, amount, currency: charge.currency });
  return taken.charge;
}

/** A capture of what the charge holds, pending until it settles. Saves both. */
export function takeMoney(context: Context, charge: Charge, amount: number): { charge: Charge; capture: Capture } {
  const { currency, id: chargeId } = charge;
  const nowUs = context.clock.nowUs();
  const settlesAtUs = nowUs + settlementDelayUs;
  const id = nextId(context, 'captures');
  const capture = { id, chargeId, amount, amountRefundedPending: 0, currency, status: 'pending', settlesAtUs, createdAtUs: nowUs } as const;
  const amountCapturable = charge.amountCapturable - amount;
  const left = amountCapturable === 0 ? ({ status: 'captured', expiresAtUs: null } as const) : {};
  const charged = { ...charge, ...left, amountCaptured: charge.amountCaptured + amount, amountCapturable };
  context.state.put('captures', id, capture);
  context.state.put('charges', chargeId, charged);
  move(context, { kind: 'capture', bucket: 'pending', amount, currency, chargeId, sourceId: id });
  context.events.scheduleAt('settlement.due', { captureId: id }, settlesAtUs);
  return { charge: charged, capture };
}

/** Handles `settlement.due`: what was not refunded meanwhile becomes available. */
export function settleCapture(due: PaymentTypes['events']['settlement.due'], context: Context): void {
  const capture = context.state.get('captures', due.captureId);
  const charge = capture && context.state.get('charges', capture.chargeId);
  if (capture?.status !== 'pending' || charge === undefined) return;
  const { id: captureId, chargeId, currency } = capture;
  const amount = capture.amount - capture.amountRefundedPending;
  context.state.put('captures', captureId, { ...capture, status: 'settled' });
  context.state.put('charges', chargeId, { ...charge, amountSettled: charge.amountSettled + amount });
  if (amount > 0) {
    const movement = { kind: 'settlement', currency, chargeId, sourceId: captureId } as const;
    move(context, { ...movement, bucket: 'pending', amount: -amount });
    move(context, { ...movement, bucket: 'available', amount });
  }
  context.events.emit('settlement.completed', { chargeId, captureId, amount, currency });
}
