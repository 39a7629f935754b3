// The hourly limit of an account. Calls are counted on the wire; here is who has none left, as a scenario says, until the window ends.
import { viewerOf } from './access.js';
import type { Context } from './model.js';
import { userOf } from './people.js';

// biome-ignore lint/suspicious/noExplicitAny: each operation has an input of its own, which its schema has checked
type Operation = (input: any, context: Context) => unknown;

/** The operations, each of which is refused to an account that has nothing left. */
export function limited<Operations extends { readonly [id: string]: Operation }>(operations: Operations): Operations {
  const guarded = Object.entries(operations).map(([id, operation]): [string, Operation] => [
    id,
    (input, context) => {
      refuseExhausted(context);
      return operation(input, context);
    },
  ]);
  return Object.fromEntries(guarded) as Operations;
}

function refuseExhausted(context: Context): void {
  const viewer = viewerOf(context);
  const resetAtUs = context.state.get('rate-limits', viewer.toLowerCase())?.exhaustedUntilUs ?? 0;
  if (context.clock.nowUs() >= resetAtUs) return;
  const message = `API rate limit exceeded for user ID ${userOf(context, viewer).id}.`;
  context.fail({ code: 'RATE_LIMITED', message, retryable: true, details: { resetAtUs } });
}
