// The test cards that Stripe documents, by the name behind `pm_card_` and `tok_`, and what the bank does with each. A card's fingerprint is
// that name: it tells one card from another, as Stripe's does, and a row that a world brings behaves by it.

export interface TestCard {
  brand: string;
  last4: string;
  number: string;
  funding?: string;
  country?: string;
  /** What the bank says instead of yes. */
  decline?: Decline;
  /** The card can be saved; only charges are declined. */
  attaches?: true;
  /** The customer must authenticate each payment on session. */
  authentication?: 'required';
  refund?: 'fails' | 'pends';
  dispute?: 'fraudulent' | 'product_not_received';
  /** The money is available at once. */
  available?: true;
}
export interface Decline {
  code: string;
  decline_code?: string;
  message: string;
}

const declined = (decline_code: string, message = 'Your card was declined.'): Decline => ({ code: 'card_declined', decline_code, message });

export const testCards: { readonly [name: string]: TestCard } = {
  visa: { brand: 'visa', last4: '4242', number: '4242424242424242' },
  visa_debit: { brand: 'visa', last4: '5556', number: '4000056655665556', funding: 'debit' },
  mastercard: { brand: 'mastercard', last4: '4444', number: '5555555555554444' },
  mastercard_debit: { brand: 'mastercard', last4: '8210', number: '5200828282828210', funding: 'debit' },
  amex: { brand: 'amex', last4: '8431', number: '378282246310005' },
  discover: { brand: 'discover', last4: '9424', number: '6011111111111117' },
  de: { brand: 'visa', last4: '0000', number: '4000002760000016', country: 'DE' },
  bypassPending: { brand: 'visa', last4: '0077', number: '4000000000000077', available: true },
  chargeDeclined: { brand: 'visa', last4: '0002', number: '4000000000000002', decline: declined('generic_decline') },
  chargeDeclinedInsufficientFunds: {
    brand: 'visa',
    last4: '9995',
    number: '4000000000009995',
    decline: declined('insufficient_funds', 'Your card has insufficient funds.'),
  },
  chargeDeclinedLostCard: { brand: 'visa', last4: '9987', number: '4000000000009987', decline: declined('lost_card') },
  chargeDeclinedStolenCard: { brand: 'visa', last4: '9979', number: '4000000000009979', decline: declined('stolen_card') },
  chargeDeclinedExpiredCard: {
    brand: 'visa',
    last4: '0069',
    number: '4000000000000069',
    decline: { code: 'expired_card', decline_code: 'expired_card', message: 'Your card has expired.' },
  },
  chargeDeclinedIncorrectCvc: {
    brand: 'visa',
    last4: '0127',
    number: '4000000000000127',
    decline: { code: 'incorrect_cvc', decline_code: 'incorrect_cvc', message: "Your card's security code is incorrect." },
  },
  chargeDeclinedProcessingError: {
    brand: 'visa',
    last4: '0119',
    number: '4000000000000119',
    decline: {
      code: 'processing_error',
      decline_code: 'processing_error',
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
  },
  chargeDeclinedFraudulent: { brand: 'visa', last4: '0019', number: '4100000000000019', decline: declined('fraudulent') },
  chargeCustomerFail: { brand: 'visa', last4: '0341', number: '4000000000000341', decline: declined('generic_decline'), attaches: true },
  threeDSecure2Required: { brand: 'visa', last4: '3220', number: '4000000000003220', authentication: 'required' },
  threeDSecureRequired: { brand: 'visa', last4: '3063', number: '4000000000003063', authentication: 'required' },
  authenticationRequired: { brand: 'visa', last4: '3184', number: '4000002760003184', authentication: 'required' },
  threeDSecureRequiredChargeDeclined: {
    brand: 'visa',
    last4: '1629',
    number: '4000008400001629',
    authentication: 'required',
    decline: declined('generic_decline'),
    attaches: true,
  },
  refundFail: { brand: 'visa', last4: '5126', number: '4000000000005126', refund: 'fails' },
  pendingRefund: { brand: 'visa', last4: '7726', number: '4000000000007726', refund: 'pends' },
  createDispute: { brand: 'visa', last4: '0259', number: '4000000000000259', dispute: 'fraudulent' },
  createDisputeProductNotReceived: { brand: 'visa', last4: '2685', number: '4000000000002685', dispute: 'product_not_received' },
};

const nameByNumber = new Map(Object.entries(testCards).map(([name, { number }]) => [number, name]));

/** The test card behind `pm_card_visa`, `tok_visa` or a number, by its name. */
export function testCardNamed(text: string): string | undefined {
  const name = /^(?:pm_card_|tok_)(\w+)$/.exec(text)?.[1] ?? nameByNumber.get(text.replace(/\s/g, ''));
  return name !== undefined && Object.hasOwn(testCards, name) ? name : undefined;
}

/** How a card behaves; one that no test card is like is always accepted. */
export function cardOf(fingerprint: string): TestCard {
  const found = Object.hasOwn(testCards, fingerprint) ? testCards[fingerprint] : undefined;
  return found ?? (testCards.visa as TestCard);
}
