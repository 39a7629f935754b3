// The same agent with a loop of its own around the refund, as one often finds it. Each try is a request of its own for Stripe, so a refund
// whose answer is lost is made again.
import { main } from './triage.mjs';

await main(async (stripe, refund) => {
  for (let tries = 1; ; tries++) {
    try {
      return await stripe.refunds.create(refund, { maxNetworkRetries: 0 });
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
});
