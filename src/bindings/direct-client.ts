// The direct binding: an access called in process. What it is given comes from an agent's code, so it is checked like a request's body.
import {
  validateCallPath,
  validateCallRequest,
  validateReceiveRequest,
  validateReceiverPath,
  validateWaitRequest,
} from '../contract/validate/validators.js';
import type { DirectClient } from '../drills/ports/bindings-port.js';
import { requireValid } from '../http/require-valid.js';
import type { AgentAccess } from './agent-access.js';

export function directClient(access: AgentAccess): DirectClient {
  return {
    tools: () => access.tools(),
    call: async ({ packageId, operationId, ...request }) => {
      const path = requireValid(validateCallPath({ packageId, operationId }), '/path');
      return await access.call({ ...path, ...requireValid(validateCallRequest(request)) });
    },
    wait: async (untilUs) => await access.wait(requireValid(validateWaitRequest(untilUs === undefined ? {} : { untilUs })).untilUs),
    receive: async (receiverId, target) => {
      const path = requireValid(validateReceiverPath({ receiverId }), '/path');
      await access.receive(path.receiverId, requireValid(validateReceiveRequest(target)));
    },
  };
}
