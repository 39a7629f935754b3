// Disputes: the bank takes the money first and asks later. Without evidence in time the account has lost.
import type { Frozen, JsonValue } from 'drillyard/tool-sdk';
import { move } from './balance.js';
import { cardOf } from './cards.js';
import { fingerprintOf } from './charges.js';
import { refuse } from './errors.js';
import { recordEvent } from './events.js';
import type { DisputeRow } from './model.js';
import {
  expanded,
  type ListInput,
  listRows,
  type MetadataInput,
  mergeMetadata,
  nextId,
  nowSeconds,
  requireRow,
  rowsWhere,
  type StripeList,
} from './store.js';
import { type Charge, type Context, type Dispute, daySeconds, dayUs, secondUs } from './types.js';

const disputeFee = 1500;
const responseDays = 7;
const decisionDays = 3;

const blankEvidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
} as const;

/** The customer has the money again, or will have it unless the account wins. */
export function isLost(context: Context, charge: Charge): boolean {
  return charge.disputed && rowsWhere(context, 'disputes', (row) => row.charge === charge.id && row.status !== 'won').length > 0;
}

/** Handles `dispute.due`: the customer complains of a charge, unless all of it was refunded meanwhile. */
export function openDispute(due: { readonly charge: string }, context: Context): void {
  const charge = context.state.get('charges', due.charge);
  const amount = charge === undefined ? 0 : charge.amount_captured - charge.amount_refunded;
  if (charge === undefined || amount === 0 || charge.disputed) return;
  const { currency, payment_intent } = charge;
  const id = nextId(context, 'disputes');
  const dueBy = nowSeconds(context) + responseDays * daySeconds;
  const movement = move(context, {
    type: 'adjustment',
    amount: -amount,
    fee: disputeFee,
    currency,
    source: id,
    description: `Chargeback withdrawal for ${charge.id}`,
  });
  const dispute: Dispute = {
    id,
    object: 'dispute',
    amount,
    balance_transactions: [movement as unknown as JsonValue],
    charge: charge.id,
    created: nowSeconds(context),
    currency,
    evidence: blankEvidence,
    evidence_details: {
      due_by: dueBy,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'manual',
    },
    is_charge_refundable: false,
    metadata: {},
    payment_intent,
    reason: cardOf(fingerprintOf(context, charge)).dispute ?? 'general',
    status: 'needs_response',
    ...{ enhanced_eligibility_types: [], intended_submission_method: null, livemode: false },
  };
  context.state.put('disputes', id, dispute);
  context.state.put('charges', charge.id, { ...charge, disputed: true });
  context.events.scheduleAt('dispute.deadline', { dispute: id }, dueBy * secondUs);
  recordEvent(context, 'charge.dispute.created', dispute);
  recordEvent(context, 'charge.dispute.funds_withdrawn', dispute);
}

interface DisputeUpdate {
  readonly dispute: string;
  readonly evidence?: Frozen<DisputeRow['evidence']>;
  readonly submit?: boolean;
  readonly metadata?: MetadataInput;
  readonly expand?: readonly string[];
}

/** Evidence goes to the bank unless `submit` is false; then it waits. */
export function updateDispute(input: DisputeUpdate, context: Context): JsonValue {
  const before = requireRow(context, 'disputes', input.dispute);
  const { evidence: given = {}, submit = input.evidence !== undefined } = input;
  if (before.status !== 'needs_response' && (input.evidence !== undefined || submit))
    refuse(context, 'INVALID_REQUEST', `This dispute is ${before.status}; its evidence cannot be changed any more.`);
  const evidence = { ...before.evidence, ...given };
  const has_evidence = Object.entries(evidence).some(([name, value]) => name !== 'enhanced_evidence' && value !== null && value !== '');
  const details = before.evidence_details;
  const dispute: Dispute = {
    ...before,
    evidence,
    evidence_details: { ...details, has_evidence, submission_count: details.submission_count + (submit ? 1 : 0) },
    metadata: mergeMetadata(context, before.metadata, input.metadata),
    status: submit ? 'under_review' : before.status,
  };
  context.state.put('disputes', dispute.id, dispute);
  if (submit) context.events.scheduleAt('dispute.decided', { dispute: dispute.id }, context.clock.nowUs() + decisionDays * dayUs);
  recordEvent(context, 'charge.dispute.updated', dispute, { evidence: before.evidence, status: before.status });
  return expanded(context, dispute, input.expand);
}

export function closeDispute(input: { readonly dispute: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  const dispute = requireRow(context, 'disputes', input.dispute);
  if (dispute.status !== 'needs_response')
    refuse(context, 'INVALID_REQUEST', `This dispute cannot be closed because it is ${dispute.status}.`);
  return expanded(context, endDispute(context, dispute, 'lost'), input.expand);
}

/** Handles `dispute.deadline`: who has sent no evidence has lost. */
export function missDeadline(due: { readonly dispute: string }, context: Context): void {
  const dispute = context.state.get('disputes', due.dispute);
  if (dispute?.status !== 'needs_response') return;
  endDispute(context, { ...dispute, evidence_details: { ...dispute.evidence_details, past_due: true } }, 'lost');
}

/** Handles `dispute.decided`: the bank has read the evidence. */
export function decideDispute(due: { readonly dispute: string }, context: Context): void {
  const dispute = context.state.get('disputes', due.dispute);
  if (dispute?.status !== 'under_review') return;
  const { uncategorized_text, shipping_tracking_number, shipping_documentation } = dispute.evidence;
  const isShipped = [shipping_tracking_number, shipping_documentation].some((value) => typeof value === 'string' && value !== '');
  const wins = uncategorized_text === 'winning_evidence' || (dispute.reason === 'product_not_received' && isShipped);
  endDispute(context, dispute, wins ? 'won' : 'lost');
}

/** What was won is the account's again; the fee is not. */
function endDispute(context: Context, dispute: Dispute, status: 'won' | 'lost'): Dispute {
  const { id, amount, currency, balance_transactions } = dispute;
  const ended: Dispute =
    status === 'lost'
      ? { ...dispute, status }
      : {
          ...dispute,
          balance_transactions: [
            ...balance_transactions,
            move(context, {
              type: 'adjustment',
              amount,
              currency,
              source: id,
              description: `Chargeback reversal for ${dispute.charge}`,
            }) as unknown as JsonValue,
          ],
          is_charge_refundable: true,
          status,
        };
  context.state.put('disputes', id, ended);
  if (status === 'won') recordEvent(context, 'charge.dispute.funds_reinstated', ended);
  recordEvent(context, 'charge.dispute.closed', ended);
  return ended;
}

export function retrieveDispute(input: { readonly dispute: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'disputes', input.dispute), input.expand);
}

export function listDisputes(
  input: ListInput & { readonly charge?: string; readonly payment_intent?: string },
  context: Context,
): StripeList {
  const { charge, payment_intent } = input;
  return listRows(
    context,
    'disputes',
    input,
    (row) => (charge === undefined || row.charge === charge) && (payment_intent === undefined || row.payment_intent === payment_intent),
  );
}
