// A request that became no call, in the words of the package that it was for. It leaves an entry where the manifest wants one, and nothing
// else: no call is counted, no event is due.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { baseUrlPlaceholder } from '../../contract/world/base-url.js';
import type { RefusalResult, RefuseRequest } from '../../contract/world/wire.js';
import type { Simulation } from '../turn/simulation.js';

/** Throws control.ROUTE_NOT_FOUND for a package that words no such refusal. */
export function refuseRequest(simulation: Simulation, command: RefuseRequest): RefusalResult {
  const { packageId, request, actorId, actorInstanceId } = command;
  simulation.persona(defined({ actorId, actorInstanceId }) as { actorId: string });
  const refusals = simulation.program.tools.get(packageId)?.manifest.wire?.refusals;
  const status = refusals?.[request.kind];
  if (refusals === undefined || status === undefined)
    throw new ServiceError('control.ROUTE_NOT_FOUND', { message: `'${packageId}' words no such refusal.` });
  const virtualTimeUs = simulation.clock.nowUs;
  const input = { ...request, status, virtualTimeUs, baseUrl: baseUrlPlaceholder };
  const encoded = simulation.dispatcher.instance(packageId, packageId).encodeRefusal(input);
  if (refusals.evidence === true && command.isUnplaced !== true) record(simulation, command, status);
  return encoded.kind === 'value' ? { kind: 'worded', status, message: encoded.message } : { kind: 'not_worded', reason: encoded.message };
}

/** Who asked is known only where somebody was authenticated. */
function record({ turn, storage }: Simulation, { packageId, request, actorId, actorInstanceId }: RefuseRequest, status: number): void {
  const { kind: refusal, method, pathname, routeId } = request;
  const who = refusal === 'unauthenticated' ? {} : defined({ actorId, actorInstanceId });
  turn.begin(undefined);
  storage.journal.draft({ kind: 'refused_request', packageId, ...who, refusal, method, pathname, ...defined({ routeId }), status });
  turn.end();
}
