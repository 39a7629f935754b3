// The vendor's reference server for MCP calls some arguments otherwise than the Web API: both names are taken.
import type { Context, Shown } from './model.js';

/** The handler, with arguments under the reference server's names given under the API's. */
export function asReference<Input extends object>(
  handle: (input: Input, context: Context) => Shown,
  names: { readonly [reference: string]: string },
): (input: Input, context: Context) => Shown {
  return (input, context) => {
    const named = Object.entries(input).map(([name, value]) => [names[name] ?? name, value]);
    return handle(Object.fromEntries(named) as Input, context);
  };
}
