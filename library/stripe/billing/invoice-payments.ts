// Invoice payments: which payment intent an invoice is paid by.
import type { JsonValue } from 'drillyard/tool-sdk';
import { expanded, type ListInput, listRows, requireRow, type StripeList } from '../account/store.js';
import type { Context } from '../account/types.js';

export function retrieveInvoicePayment(
  input: { readonly invoice_payment: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  return expanded(context, requireRow(context, 'invoice_payments', input.invoice_payment), input.expand);
}

interface PaymentFilter extends ListInput {
  readonly invoice?: string;
  readonly payment?: { readonly type: string; readonly payment_intent?: string };
  readonly status?: string;
}
export function listInvoicePayments(input: PaymentFilter, context: Context): StripeList {
  const { invoice, payment, status } = input;
  return listRows(
    context,
    'invoice_payments',
    input,
    (row) =>
      (invoice === undefined || row.invoice === invoice) &&
      (payment?.payment_intent === undefined || row.payment.payment_intent === payment.payment_intent) &&
      (status === undefined || row.status === status),
  );
}
