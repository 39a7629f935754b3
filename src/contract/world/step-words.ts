// What a world is asked, in the words of a message about how long that took.
import type { WorldCommand, WorldQuery } from './world-protocol.js';

export function stepWords(asked: WorldCommand | WorldQuery): string {
  switch (asked.kind) {
    case 'call':
      return `'${asked.operationId}' of tool '${asked.packageId}'`;
    case 'callRoute':
      return `'${asked.request.method} ${asked.request.pathname}' of tool '${asked.packageId}'`;
    case 'refuseRequest':
      return `The refusal of '${asked.request.method} ${asked.request.pathname}' by tool '${asked.packageId}'`;
    case 'advance':
    case 'wait':
      return 'A handler of an event that was due';
    default:
      return `A step of the world, in '${asked.kind}',`;
  }
}
