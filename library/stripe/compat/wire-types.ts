// The client's own types as JSON has them: what it makes of a response beyond parsing it is taken off again.
import type Stripe from 'stripe';

/** A decimal is a text, and what the client adds to a response is no member of it. */
export type Wire<T> = T extends Stripe.Decimal
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Name in keyof T as Name extends 'lastResponse' ? never : Name]: Wire<T[Name]> }
      : T;

/** What a method of the client answers with. */
export type Answer<Resource extends keyof Stripe, Method extends keyof Stripe[Resource]> = Stripe[Resource][Method] extends (
  ...args: never[]
) => Promise<infer Answered>
  ? Wire<Answered>
  : never;

export interface ErrorBody {
  error: Wire<Stripe.StripeRawError> & { message: string };
}
