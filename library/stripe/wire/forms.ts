// Forms and queries with brackets, as Stripe's clients write them: `items[0][price]`, `expand[]`, `metadata[order]`.
import { ToolFailure } from 'drillyard/tool-sdk';

type Lists = { readonly [name: string]: readonly string[] };
/** A level of what is being read: texts and further levels by name. */
type Level = Map<string, string | Level>;

const integers = new Set([
  'amount',
  'amount_to_capture',
  'cancel_at',
  'created',
  'days_until_due',
  'due_date',
  'end',
  'exp_month',
  'exp_year',
  'gt',
  'gte',
  'interval_count',
  'limit',
  'lt',
  'lte',
  'quantity',
  'start',
  'trial_end',
  'trial_period_days',
  'unit_amount',
]);
const booleans = new Set([
  'active',
  'auto_advance',
  'cancel_at_period_end',
  'confirm',
  'deleted',
  'enabled',
  'error_on_requires_action',
  'forgive',
  'invoice_now',
  'off_session',
  'paid_out_of_band',
  'pending',
  'prorate',
  'shippable',
  'submit',
  'transfer_lookup_key',
  'use_stripe_sdk',
]);
/** Below these every value is the caller's own text. */
const texts = new Set(['metadata', 'evidence']);

/** The arguments that parameters stand for. What is no number where one is wanted stays a text, so that the schema says so. */
export function readParameters(...groups: readonly Lists[]): { [name: string]: unknown } {
  const root: Level = new Map();
  for (const group of groups) for (const [name, values] of Object.entries(group)) for (const value of values) place(root, name, value);
  return Object.fromEntries([...root].map(([name, value]) => [name, readValue(name, value, false)]));
}

function place(root: Level, name: string, value: string): void {
  const parts = name.split('[').map((part) => part.replace(/\]$/, ''));
  let level = root;
  for (const part of parts.slice(0, -1)) {
    const known = level.get(part);
    const next: Level = typeof known === 'object' ? known : new Map();
    if (typeof known === 'string') repeated(name);
    level.set(part, next);
    level = next;
  }
  const last = parts.at(-1) ?? '';
  const at = last === '' ? String(level.size) : last;
  if (level.has(at)) repeated(name);
  level.set(at, value);
}

function repeated(name: string): never {
  throw new ToolFailure({ code: 'PARAMETER_REPEATED', message: `Invalid request: ${name} is given more than once.` });
}

function readValue(name: string, value: string | Level, isText: boolean): unknown {
  if (typeof value === 'string') return isText ? value : plainValue(name, value);
  const own = isText || texts.has(name);
  const members = [...value].map(([member, inner]) => [member, readValue(member, inner, own)] as const);
  const isList = !own && members.every(([member], index) => member === String(index));
  return isList ? members.map(([, member]) => member) : Object.fromEntries(members);
}

function plainValue(name: string, text: string): unknown {
  if (integers.has(name) && /^-?\d{1,15}$/.test(text)) return Number(text);
  // In any case: the client for Python sends `True`.
  return booleans.has(name) && /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
}
