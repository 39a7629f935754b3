// Made by scripts/stripe-parameters.mjs of the types of the `stripe` client: what Stripe has, and this package has not.

/** Read where a request is refused, which few are. */
type Words = () => ReadonlySet<string>;
const words =
  (text: string): Words =>
  () =>
    new Set(text.trim().split(/\s+/));

/** Parameters by operation; `items.discounts` stands for each of `items`. */
export const unservedParameters: { readonly [operationId: string]: Words } = {
  'customers.create': words(`
    balance business_name cash_balance individual_name invoice_prefix invoice_settings.custom_fields invoice_settings.footer
    invoice_settings.rendering_options next_invoice_sequence preferred_locales source tax tax_exempt tax_id_data test_clock
    validate
  `),
  'customers.update': words(`
    balance business_name cash_balance default_source individual_name invoice_prefix invoice_settings.custom_fields
    invoice_settings.footer invoice_settings.rendering_options next_invoice_sequence preferred_locales source tax tax_exempt
    validate
  `),
  'customers.list': words(`
    expand test_clock
  `),
  'payment_methods.create': words(`
    acss_debit affirm afterpay_clearpay alipay allow_redisplay alma amazon_pay au_becs_debit bacs_debit bancontact billie
    billing_details.tax_id bizum blik boleto card.networks cashapp crypto custom customer customer_balance eps fpx giropay grabpay
    ideal interac_present kakao_pay klarna konbini kr_card link mb_way mobilepay multibanco naver_pay nz_bank_account oxxo p24
    pay_by_bank payco payment_method paynow paypal paypay payto pix promptpay radar_options revolut_pay samsung_pay satispay
    scalapay sepa_debit sequra sofort sunbit swish twint upi us_bank_account wechat_pay zip
  `),
  'payment_methods.update': words(`
    allow_redisplay billing_details.tax_id card.networks us_bank_account
  `),
  'payment_methods.attach': words(`
    customer_account
  `),
  'payment_methods.list': words(`
    allow_redisplay customer_account
  `),
  'payment_intents.create': words(`
    amount_details application_fee_amount confirmation_token customer_account excluded_payment_method_types hooks mandate
    mandate_data on_behalf_of payment_details payment_method_configuration payment_method_data payment_method_options
    radar_options transfer_data
  `),
  'payment_intents.retrieve': words(`
    client_secret
  `),
  'payment_intents.update': words(`
    amount_details application_fee_amount customer_account excluded_payment_method_types hooks payment_details
    payment_method_configuration payment_method_data payment_method_options transfer_data
  `),
  'payment_intents.confirm': words(`
    allowed_payment_method_types amount_details amount_to_confirm capture_method confirmation_token excluded_payment_method_types
    hooks mandate mandate_data payment_details payment_method_data payment_method_options radar_options
  `),
  'payment_intents.capture': words(`
    amount_details application_fee_amount final_capture hooks payment_details statement_descriptor statement_descriptor_suffix
    transfer_data
  `),
  'payment_intents.list': words(`
    customer_account
  `),
  'charges.list': words(`
    transfer_group
  `),
  'refunds.create': words(`
    currency customer instructions_email origin refund_application_fee reverse_transfer
  `),
  'disputes.update': words(`
    intended_submission_method
  `),
  'payouts.create': words(`
    destination method payout_method source_type
  `),
  'payouts.list': words(`
    arrival_date destination
  `),
  'balance.retrieve': words(`
    expand
  `),
  'balance_transactions.list': words(`
    payout
  `),
  'setup_intents.create': words(`
    allowed_payment_method_types attach_to_self confirmation_token customer_account excluded_payment_method_types flow_directions
    mandate_data on_behalf_of payment_method_configuration payment_method_data payment_method_options single_use
  `),
  'setup_intents.retrieve': words(`
    client_secret
  `),
  'setup_intents.update': words(`
    allowed_payment_method_types attach_to_self customer_account excluded_payment_method_types flow_directions
    payment_method_configuration payment_method_data payment_method_options
  `),
  'setup_intents.confirm': words(`
    allowed_payment_method_types confirmation_token mandate_data payment_method_data payment_method_options
  `),
  'setup_intents.list': words(`
    attach_to_self customer_account
  `),
  'products.create': words(`
    default_price_data.currency_options default_price_data.custom_unit_amount default_price_data.unit_amount_decimal
    package_dimensions tax_code tax_details type
  `),
  'products.update': words(`
    package_dimensions tax_code tax_details
  `),
  'products.list': words(`
    type
  `),
  'prices.create': words(`
    billing_scheme currency_options custom_unit_amount product_data.tax_code product_data.tax_details recurring.meter
    recurring.trial_period_days tiers tiers_mode transform_quantity unit_amount_decimal
  `),
  'prices.update': words(`
    currency_options
  `),
  'prices.list': words(`
    recurring.meter recurring.usage_type
  `),
  'invoice_items.create': words(`
    customer_account discountable discounts price_data quantity_decimal tax_behavior tax_code tax_rates unit_amount_decimal
  `),
  'invoice_items.update': words(`
    discountable discounts invoicing_rules price_data quantity_decimal tax_behavior tax_code tax_rates unit_amount_decimal
  `),
  'invoice_items.list': words(`
    customer_account
  `),
  'invoices.create': words(`
    account_tax_ids application_fee_amount automatic_tax automatically_finalizes_at custom_fields customer_account default_source
    default_tax_rates discounts effective_at from_invoice issuer on_behalf_of payment_settings rendering shipping_cost
    shipping_details statement_descriptor subscription transfer_data
  `),
  'invoices.update': words(`
    account_tax_ids application_fee_amount automatic_tax automatically_finalizes_at custom_fields default_source default_tax_rates
    discounts effective_at issuer on_behalf_of payment_settings rendering shipping_cost shipping_details statement_descriptor
    transfer_data
  `),
  'invoices.list': words(`
    customer_account due_date
  `),
  'invoices.pay': words(`
    forgive mandate source
  `),
  'invoices.create_preview': words(`
    automatic_tax currency customer_account customer_details discounts invoice_items issuer on_behalf_of preview_mode schedule
    schedule_details subscription_details
  `),
  'invoice_payments.list': words(`
    payment.payment_record
  `),
  'subscriptions.create': words(`
    add_invoice_items application_fee_percent automatic_tax backdate_start_date billing_cycle_anchor billing_cycle_anchor_config
    billing_mode.flexible billing_schedules billing_thresholds cancel_at customer_account default_source default_tax_rates
    discounts invoice_settings items.billing_thresholds items.current_trial items.discounts items.plan items.price_data
    items.tax_rates on_behalf_of payment_settings.payment_method_options pending_invoice_item_interval proration_behavior
    transfer_data trial_from_plan trial_settings.end_behavior.billing_cycle_anchor
  `),
  'subscriptions.update': words(`
    add_invoice_items application_fee_percent automatic_tax billing_cycle_anchor billing_schedules billing_thresholds cancel_at
    cancellation_details.feedback_option collection_method default_source default_tax_rates discounts invoice_settings
    items.billing_thresholds items.clear_usage items.current_trial items.discounts items.plan items.price_data items.tax_rates
    off_session on_behalf_of pause_collection payment_behavior payment_settings.payment_method_options
    pending_invoice_item_interval proration_date transfer_data trial_from_plan trial_settings.end_behavior.billing_cycle_anchor
  `),
  'subscriptions.cancel': words(`
    cancellation_details.feedback_option
  `),
  'subscriptions.list': words(`
    automatic_tax current_period_end current_period_start customer_account plan test_clock
  `),
  'events.retrieve': words(`
    expand
  `),
  'events.list': words(`
    delivery_success expand
  `),
};

/** Names of members that can be expanded somewhere. */
export const expandableMembers = words(`
  account account_tax_ids additional_documentation alert application application_fee authorization back balance_transaction
  balance_transactions cancellation_policy card card_logo card_statement cardholder cash_balance cash_receipt charge check_image
  checkout_session configuration coupon credit_balance_transaction credit_grant credit_note credit_reversal customer
  customer_balance_transaction customer_communication customer_signature debit_reversal default_payment_method default_price
  default_source default_tax_rates destination destination_payment destination_payment_refund discount discounts dispute
  duplicate_charge_documentation entitlements entries external_accounts failure_balance_transaction feature features fee
  feedback_option file front generated_card generated_sepa_debit generated_sepa_debit_mandate icon inbound_transfer individual
  invoice issuing_authorization items last_verification_report latest_attempt latest_charge latest_invoice latest_revision
  line_items lines linked_transaction links location logo mandate meter on_behalf_of original_payout originating_transaction
  outbound_payment outbound_transfer ownership payment_intent payment_link payment_method payment_record payments payout
  pending_setup_intent personalization_design physical_bundle plan previous_attributes price product promotion_code quote
  receipt received_credit received_debit refund refund_policy refunds replaced_by replacement_for reserve_hold reserve_plan
  result reversals reversed_by review schedule service_documentation setup_attempt setup_intent shipping_documentation
  shipping_rate single_use_mandate source source_charge source_refund source_transaction source_transfer
  source_transfer_reversal sources subscription subscription_schedule subscriptions suppliers tax_code tax_ids tax_rates
  test_clock token transaction transactions transfer transfer_reversal uncategorized_file
`);
