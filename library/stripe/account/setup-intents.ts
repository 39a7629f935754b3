// Setup intents: a card is checked with its bank and saved for later, without a payment.
import type { Frozen, JsonValue } from 'drillyard/tool-sdk';
import { cardOf } from './cards.js';
import { declineCard, refuse } from './errors.js';
import { recordEvent } from './events.js';
import type { CardError } from './model.js';
import { attachTo, resolvePaymentMethod } from './payment-methods.js';
import { challengeUs, nextActionFor } from './payments.js';
import {
  expanded,
  findRow,
  type ListInput,
  listRows,
  type MetadataInput,
  mergeMetadata,
  nextId,
  nowSeconds,
  requireRow,
  type StripeList,
} from './store.js';
import type { Context, PaymentMethod, SetupIntent } from './types.js';

interface SetupMembers {
  readonly customer?: string;
  readonly description?: string;
  readonly metadata?: MetadataInput;
  readonly payment_method?: string;
}
interface Confirmation {
  readonly return_url?: string;
  readonly use_stripe_sdk?: boolean;
  readonly expand?: readonly string[];
}
interface NewSetup extends SetupMembers, Confirmation {
  readonly automatic_payment_methods?: { readonly enabled: boolean; readonly allow_redirects?: string };
  readonly confirm?: boolean;
  readonly usage?: string;
}

const open = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

function keepSetup(context: Context, setup: SetupIntent, eventType: string): SetupIntent {
  context.state.put('setup_intents', setup.id, setup);
  recordEvent(context, eventType, setup);
  return setup;
}

export function createSetupIntent(input: NewSetup, context: Context): JsonValue {
  const { automatic_payment_methods: automatic = { enabled: true }, confirm = false, usage = 'off_session', ...members } = input;
  const id = nextId(context, 'setup_intents');
  const blank: SetupIntent = {
    id,
    object: 'setup_intent',
    ...{ allowed_payment_method_types: null, application: null },
    ...{ automatic_payment_methods: { allow_redirects: 'always', ...automatic } },
    cancellation_reason: null,
    client_secret: `${id}_secret_${id.slice(-6)}`,
    created: nowSeconds(context),
    customer: null,
    description: null,
    ...{ customer_account: null, excluded_payment_method_types: null, flow_directions: null },
    last_setup_error: null,
    ...{ latest_attempt: null, livemode: false, managed_payments: null, mandate: null },
    metadata: {},
    next_action: null,
    ...{ on_behalf_of: null },
    payment_method: null,
    ...{ payment_method_configuration_details: null, payment_method_types: ['card'], single_use_mandate: null },
    ...{ payment_method_options: { card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' } } },
    status: 'requires_payment_method',
    usage,
  };
  const setup = keepSetup(context, withMembers(context, blank, members), 'setup_intent.created');
  return confirm ? confirmed(context, setup, input) : expanded(context, setup, input.expand);
}

export function retrieveSetupIntent(input: { readonly intent: string; readonly expand?: readonly string[] }, context: Context): JsonValue {
  return expanded(context, requireRow(context, 'setup_intents', input.intent), input.expand);
}

export function listSetupIntents(
  input: ListInput & { readonly customer?: string; readonly payment_method?: string },
  context: Context,
): StripeList {
  const { customer, payment_method } = input;
  return listRows(
    context,
    'setup_intents',
    input,
    (setup) =>
      (customer === undefined || setup.customer === customer) && (payment_method === undefined || setup.payment_method === payment_method),
  );
}

export function updateSetupIntent(
  { intent: id, expand, ...members }: SetupMembers & { readonly intent: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  const setup = requireRow(context, 'setup_intents', id);
  const fixed = (['customer', 'payment_method'] as const).find((name) => members[name] !== undefined);
  if (fixed !== undefined && !open.includes(setup.status))
    unexpectedState(context, setup, `This SetupIntent's ${fixed} could not be updated because it has a status of ${setup.status}.`);
  const updated = withMembers(context, setup, members);
  context.state.put('setup_intents', id, updated);
  return expanded(context, updated, expand);
}

export function confirmSetupIntent(
  { intent: id, payment_method, ...input }: Confirmation & { readonly intent: string; readonly payment_method?: string },
  context: Context,
): JsonValue {
  const setup = requireRow(context, 'setup_intents', id);
  if (!open.includes(setup.status))
    unexpectedState(context, setup, `You cannot confirm this SetupIntent because it has a status of ${setup.status}.`);
  return confirmed(context, payment_method === undefined ? setup : withMembers(context, setup, { payment_method }), input);
}

function confirmed(context: Context, setup: SetupIntent, { return_url, expand }: Confirmation): JsonValue {
  if (setup.payment_method === null)
    unexpectedState(
      context,
      setup,
      "You cannot confirm this SetupIntent because it's missing a payment method. " +
        'Update the SetupIntent with a payment method, or confirm it with one.',
    );
  const method = requireRow(context, 'payment_methods', setup.payment_method ?? '', 'payment_method');
  if (cardOf(method.card.fingerprint).authentication === undefined) return settled(context, setup, method, expand);
  const next_action = nextActionFor(setup.id, return_url ?? null);
  context.events.scheduleAt('setup.due', { setup_intent: setup.id }, context.clock.nowUs() + challengeUs);
  const waiting = keepSetup(context, { ...setup, next_action, status: 'requires_action' }, 'setup_intent.requires_action');
  return expanded(context, waiting, expand);
}

/** What the bank said to saving the card; a no is kept. */
function settled(context: Context, setup: SetupIntent, method: PaymentMethod, expand?: readonly string[]): JsonValue {
  const { setup: after, error } = check(context, setup, method);
  if (error !== undefined) declineCard(context, error, { setup_intent: after as unknown as JsonValue });
  return expanded(context, after, expand);
}

function check(context: Context, setup: SetupIntent, method: PaymentMethod): { setup: SetupIntent; error?: Frozen<CardError> } {
  const { decline, attaches } = cardOf(method.card.fingerprint);
  if (decline !== undefined && attaches === undefined) {
    const error = { type: 'card_error', ...decline, payment_method: method } as const;
    const failed = {
      ...setup,
      last_setup_error: error,
      next_action: null,
      payment_method: null,
      status: 'requires_payment_method',
    } as const;
    return { setup: keepSetup(context, failed, 'setup_intent.setup_failed'), error };
  }
  if (setup.customer !== null) attachTo(context, method, setup.customer);
  const succeeded = { ...setup, last_setup_error: null, next_action: null, status: 'succeeded' } as const;
  return { setup: keepSetup(context, succeeded, 'setup_intent.succeeded') };
}

/** Handles `setup.due`: the customer has authenticated, unless the intent no longer waits for it. */
export function completeSetup(due: { readonly setup_intent: string }, context: Context): void {
  const setup = context.state.get('setup_intents', due.setup_intent);
  const method = findRow(context, 'payment_methods', setup?.payment_method);
  if (setup?.status === 'requires_action' && method !== undefined) check(context, setup, method);
}

export function cancelSetupIntent(
  input: { readonly intent: string; readonly cancellation_reason?: string; readonly expand?: readonly string[] },
  context: Context,
): JsonValue {
  const setup = requireRow(context, 'setup_intents', input.intent);
  if (!open.includes(setup.status))
    unexpectedState(context, setup, `You cannot cancel this SetupIntent because it has a status of ${setup.status}.`);
  const canceled = { ...setup, cancellation_reason: input.cancellation_reason ?? null, next_action: null, status: 'canceled' } as const;
  return expanded(context, keepSetup(context, canceled, 'setup_intent.canceled'), input.expand);
}

function withMembers(context: Context, setup: SetupIntent, given: SetupMembers): SetupIntent {
  const { customer, description, metadata, payment_method } = given;
  if (customer !== undefined) requireRow(context, 'customers', customer, 'customer');
  const changed: SetupIntent = {
    ...setup,
    ...(customer === undefined ? {} : { customer }),
    ...(description === undefined ? {} : { description: description === '' ? null : description }),
    metadata: mergeMetadata(context, setup.metadata, metadata),
  };
  if (payment_method === undefined) return changed;
  const method = resolvePaymentMethod(context, payment_method, 'payment_method');
  if (method.customer !== null && method.customer !== changed.customer)
    refuse(
      context,
      'PAYMENT_METHOD_UNEXPECTED_STATE',
      `The PaymentMethod ${method.id} belongs to ${method.customer}. Give that customer with the SetupIntent.`,
      { param: 'payment_method' },
    );
  return { ...changed, payment_method: method.id, status: 'requires_confirmation', next_action: null };
}

function unexpectedState(context: Context, setup: SetupIntent, message: string): never {
  return refuse(context, 'SETUP_INTENT_UNEXPECTED_STATE', message, { setup_intent: setup as unknown as JsonValue });
}
