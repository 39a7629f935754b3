// A request that no codec could make a call of.
import { defined } from '../../contract/defined.js';
import type { RouteResult } from '../../contract/world/world-protocol.js';
import type { DecodeResult } from '../../tools/loaded-tool.js';

export function notDecoded(fault: Exclude<DecodeResult, { kind: 'value' }>): RouteResult {
  const more = fault.kind === 'failure' ? { code: fault.code } : fault.kind === 'thrown' ? defined({ issues: fault.issues }) : {};
  return { kind: 'not_decoded', reason: fault.message, fault: fault.kind === 'misshapen' ? 'codec' : 'request', ...more };
}
