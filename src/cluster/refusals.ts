// Why a node does not start, or a home does not open. Each is final for the node that says it.
import { ServiceError } from '../contract/errors.js';

/** The node is too old for its cluster. */
export function nodeTooOld(own: number, clusters: number): ServiceError {
  return new ServiceError('cluster.FORMAT_UNSUPPORTED', {
    message: `The cluster writes format ${clusters}, and this node reads none above ${own}: install the version of the other nodes on it.`,
    details: { own, cluster: clusters },
  });
}
/** The node is too new: it can write nothing that the others read. */
export function nodeTooNew(own: number, clusters: number): ServiceError {
  return new ServiceError('cluster.FORMAT_UNSUPPORTED', {
    message: `The cluster writes format ${clusters}, and this node reads none below ${own}: first install a version between on every node.`,
    details: { own, cluster: clusters },
  });
}

export function foreignCluster(message: string): ServiceError {
  return new ServiceError('cluster.FOREIGN_CLUSTER', { message });
}

export function unsafeLog(setting: string, value: string): ServiceError {
  return new ServiceError('cluster.UNSAFE_LOG', {
    message: `PostgreSQL may lose what it acknowledged: ${setting} is ${value}.`,
    details: { setting, value },
  });
}

/** A copy has what the log has lost. */
export function logWentBack(home: number, position: number, end: number): ServiceError {
  return new ServiceError('cluster.LOG_WENT_BACK', {
    message: `The log of home ${home} ends at ${end}, but the copy on this node is at ${position}.`,
    details: { home, position, end },
  });
}

/** Of a node that starts. */
export function logAway(cause: Error): ServiceError {
  const reason = cause.message === '' ? ((cause.cause as { code?: string } | undefined)?.code ?? 'no answer') : cause.message;
  return new ServiceError('control.UNAVAILABLE', {
    message: `The log of the cluster, or its store, cannot be reached: ${reason.replace(/\.$/, '')}.`,
    cause,
  });
}
