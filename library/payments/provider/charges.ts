// Charging cards and reading charges.
import { authorize, requireChargeable } from './bank.js';
import { takeMoney } from './captures.js';
import { requireCustomer } from './customers.js';
import { type Charge, type ChargeStatus, type Context, dayUs } from './model.js';
import { newestFirst, nextId, type Page, type PageInput, requireCharge } from './rows.js';

interface NewCharge {
  readonly customerId: string;
  readonly amount: number;
  readonly currency: string;
  readonly token: string;
  readonly capture?: boolean;
  readonly description?: string;
  readonly metadata?: Charge['metadata'];
}

const authorizationLifeUs = 7 * dayUs;

export function createCharge(input: NewCharge, context: Context): Charge {
  requireCustomer(context, input.customerId);
  requireChargeable(context, input.amount, input.currency);
  const charge = chargeOf(context, input);
  const { id: chargeId, customerId, amount, currency, failure } = charge;
  const outcome = { chargeId, customerId, amount, currency };
  if (failure) {
    context.state.put('charges', chargeId, charge);
    context.events.emit('charge.failed', { ...outcome, failureCode: failure.code });
    return charge;
  }
  const captured = input.capture ?? true;
  context.events.emit('charge.succeeded', { ...outcome, captured });
  return captured ? takeMoney(context, charge, amount).charge : hold(context, charge);
}

export function getCharge(input: { readonly chargeId: string }, context: Context): Charge {
  return requireCharge(context, input.chargeId);
}

export function listCharges(
  input: PageInput & {
    readonly customerId?: string;
    readonly status?: ChargeStatus;
    readonly createdFromUs?: number;
    readonly createdUntilUs?: number;
  },
  context: Context,
): Page<Charge> {
  const { customerId, status, createdFromUs = -Infinity, createdUntilUs = Infinity } = input;
  if (customerId !== undefined) requireCustomer(context, customerId);
  const matches = (charge: Charge): boolean =>
    (customerId === undefined || charge.customerId === customerId) &&
    (status === undefined || charge.status === status) &&
    charge.createdAtUs >= createdFromUs &&
    charge.createdAtUs < createdUntilUs;
  return newestFirst(context, 'charges', input, { matches, code: 'CHARGE_NOT_FOUND' });
}

/** What the bank made of the card, not yet saved. */
function chargeOf(context: Context, { customerId, amount, currency, token, description, metadata = {} }: NewCharge): Charge {
  const { card, failure } = authorize(context, token);
  return {
    id: nextId(context, 'charges'),
    customerId,
    amount,
    currency,
    description: description ?? null,
    metadata,
    card,
    status: failure ? 'failed' : 'authorized',
    failure,
    amountCaptured: 0,
    amountCapturable: failure ? 0 : amount,
    amountRefunded: 0,
    amountSettled: 0,
    expiresAtUs: null,
    createdAtUs: context.clock.nowUs(),
  };
}

function hold(context: Context, charge: Charge): Charge {
  const expiresAtUs = context.clock.nowUs() + authorizationLifeUs;
  const held = { ...charge, expiresAtUs };
  context.state.put('charges', charge.id, held);
  context.events.scheduleAt('authorization.expiry-due', { chargeId: charge.id }, expiresAtUs);
  return held;
}
