// The currencies that Stripe takes.
import { refuse } from './errors.js';
import type { Context } from './types.js';

/** In the order in which Stripe names them. */
const currencies = `
  usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf clp cny cop
  crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl hrk htg huf idr ils inr isk jmd jod jpy
  kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd
  omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs
  uah ugx uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer zar zmw
`
  .trim()
  .split(/\s+/);
const known = new Set(currencies);

/** Refuses a currency that Stripe does not have. One that is left out is none. */
export function requireCurrency(context: Context, currency: string | undefined, param = 'currency'): void {
  if (currency === undefined || known.has(currency)) return;
  const words = `Invalid currency: ${currency}. Stripe currently supports these currencies: ${currencies.join(', ')}`;
  refuse(context, 'INVALID_REQUEST', words, { param });
}
