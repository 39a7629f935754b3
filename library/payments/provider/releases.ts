// Letting go of what a charge holds: on request, or because the bank does after seven days.
import type { Charge, Context, PaymentTypes } from './model.js';
import { requireCharge } from './rows.js';

export function voidCharge(input: { readonly chargeId: string }, context: Context): Charge {
  const charge = requireCharge(context, input.chargeId);
  const { status, amountCapturable: amountReleased } = charge;
  if (amountReleased === 0) {
    return context.fail({ code: 'CHARGE_NOT_VOIDABLE', message: `${charge.id} is ${status} and holds nothing.`, details: { status } });
  }
  context.events.emit('charge.voided', { chargeId: charge.id, amountReleased });
  return release(context, charge, 'voided');
}

/** Handles `authorization.expiry-due`: a charge that holds nothing any more is left alone. */
export function expireAuthorization(due: PaymentTypes['events']['authorization.expiry-due'], context: Context): void {
  const charge = context.state.get('charges', due.chargeId);
  if (charge === undefined || charge.amountCapturable === 0) return;
  context.events.emit('charge.expired', { chargeId: charge.id, amountReleased: charge.amountCapturable });
  release(context, charge, 'expired');
}

// A charge of which something was captured ends as captured, however the rest went.
function release(context: Context, charge: Charge, status: 'voided' | 'expired'): Charge {
  const released = { ...charge, status: charge.amountCaptured > 0 ? 'captured' : status, amountCapturable: 0, expiresAtUs: null } as const;
  context.state.put('charges', charge.id, released);
  return released;
}
