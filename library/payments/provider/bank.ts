// The bank's side: which cards there are, what it says to each, and which currencies it takes.
import type { Charge, Context, FailureCode } from './model.js';

interface TestCard {
  readonly card: Charge['card'];
  readonly refusal: FailureCode | null;
}

// A Map, so that a token named like a member of Object.prototype is simply unknown.
const cards = new Map<string, TestCard>([
  ['tok_visa', { card: { brand: 'visa', last4: '4242' }, refusal: null }],
  ['tok_mastercard', { card: { brand: 'mastercard', last4: '4444' }, refusal: null }],
  ['tok_amex', { card: { brand: 'amex', last4: '0005' }, refusal: null }],
  ['tok_declined', { card: { brand: 'visa', last4: '0002' }, refusal: 'card_declined' }],
  ['tok_insufficient_funds', { card: { brand: 'visa', last4: '9995' }, refusal: 'insufficient_funds' }],
  ['tok_expired', { card: { brand: 'visa', last4: '0069' }, refusal: 'expired_card' }],
]);
const refusalMessages: { readonly [code in FailureCode]: string } = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The card has insufficient funds.',
  expired_card: 'The card has expired.',
};
/** The least that can be charged, in minor units. */
const minimumAmounts = new Map([
  ['chf', 50],
  ['eur', 50],
  ['gbp', 30],
  ['jpy', 50],
  ['usd', 50],
]);

export interface BankAnswer {
  card: Charge['card'];
  /** Null: the bank holds the amount. */
  failure: Charge['failure'];
}

export function authorize(context: Context, token: string): BankAnswer {
  const known = cards.get(token);
  if (known === undefined) return context.fail({ code: 'TOKEN_INVALID', message: `There is no card token ${token}.` });
  const { card, refusal } = known;
  return { card, failure: refusal && { code: refusal, message: refusalMessages[refusal] } };
}

export function requireCurrency(context: Context, currency: string): void {
  if (!minimumAmounts.has(currency)) {
    context.fail({
      code: 'CURRENCY_UNSUPPORTED',
      message: `${currency} is not supported.`,
      details: { supported: [...minimumAmounts.keys()] },
    });
  }
}

export function requireChargeable(context: Context, amount: number, currency: string): void {
  requireCurrency(context, currency);
  const minimum = minimumAmounts.get(currency) ?? 0;
  if (amount < minimum) {
    context.fail({
      code: 'AMOUNT_TOO_SMALL',
      message: `The least that can be charged is ${minimum} ${currency}, in minor units.`,
      details: { minimum },
    });
  }
}
