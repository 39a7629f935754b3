// The payment provider's behavior: which function answers which operation and which event.
import { defineToolBehavior } from 'drillyard/tool-sdk';
import { createPayout, getBalance, listLedger } from './provider/balance.js';
import { captureCharge, settleCapture } from './provider/captures.js';
import { createCharge, getCharge, listCharges } from './provider/charges.js';
import { createCustomer, getCustomer, listCustomers } from './provider/customers.js';
import type { PaymentTypes } from './provider/model.js';
import { createRefund, getRefund, listRefunds } from './provider/refunds.js';
import { expireAuthorization, voidCharge } from './provider/releases.js';
import { codecs } from './provider/wire.js';

export default defineToolBehavior<PaymentTypes>({
  operations: {
    'customer.create': createCustomer,
    'customer.get': getCustomer,
    'customer.list': listCustomers,
    'charge.create': createCharge,
    'charge.get': getCharge,
    'charge.list': listCharges,
    'charge.capture': captureCharge,
    'charge.void': voidCharge,
    'refund.create': createRefund,
    'refund.get': getRefund,
    'refund.list': listRefunds,
    'balance.get': getBalance,
    'ledger.list': listLedger,
    'payout.create': createPayout,
  },
  subscriptions: {
    'settle-capture': settleCapture,
    'expire-authorization': expireAuthorization,
  },
  http: {
    'customer.create': codecs,
    'customer.get': codecs,
    'customer.list': codecs,
    'charge.create': codecs,
    'charge.get': codecs,
    'charge.list': codecs,
    'charge.capture': codecs,
    'charge.void': codecs,
    'refund.create': codecs,
    'refund.get': codecs,
    'refund.list': codecs,
    'balance.get': codecs,
    'ledger.list': codecs,
    'payout.create': codecs,
  },
});
