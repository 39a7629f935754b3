// The law of the account: each balance is the sum of its balance transactions, each movement of money has one, and what an invoice says was
// paid was paid.
import { wrongInvoices } from './invoices.mjs';

export default ({ state }) => {
  const transactions = Object.values(state.transactions ?? {});
  const wrong = [];
  const sum = (rows) => rows.reduce((total, { net }) => total + net, 0);
  const currencies = new Set([...Object.keys(state.balances ?? {}), ...transactions.map(({ currency }) => currency)]);
  for (const currency of currencies) {
    for (const status of ['available', 'pending']) {
      const expected = sum(transactions.filter((row) => row.currency === currency && row.status === status));
      const actual = state.balances?.[currency]?.[status] ?? 0;
      if (actual !== expected) wrong.push(`${status} ${currency} is ${actual}, and its transactions are ${expected}`);
    }
  }
  const amountOf = (source) => transactions.filter((row) => row.source === source).reduce((total, { amount }) => total + amount, 0);
  for (const [source, amount] of Object.entries(expectedAmounts(state)))
    if (amountOf(source) !== amount) wrong.push(`${source} moved ${amountOf(source)} and not ${amount}`);
  const sources = new Set(Object.keys(expectedAmounts(state)));
  for (const { id, source } of transactions) if (!sources.has(source)) wrong.push(`${id} is of ${source}, which is not there`);
  wrong.push(...wrongInvoices(state));
  return { passed: wrong.length === 0, ...(wrong.length === 0 ? {} : { message: wrong.join('; ') }) };
};

/** What each thing must have moved in all. */
function expectedAmounts({ charges = {}, refunds = {}, disputes = {}, payouts = {} }) {
  const none = ['failed', 'canceled'];
  return Object.fromEntries([
    ...Object.values(charges).map(({ id, amount_captured }) => [id, amount_captured]),
    ...Object.values(refunds).map(({ id, amount, status }) => [id, none.includes(status) ? 0 : -amount]),
    ...Object.values(disputes).map(({ id, amount, status }) => [id, status === 'won' ? 0 : -amount]),
    ...Object.values(payouts).map(({ id, amount, status }) => [id, none.includes(status) ? 0 : -amount]),
  ]);
}
