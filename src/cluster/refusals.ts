// Why a node does not start, or a home does not open. Each is final for the node that says it.
import { ServiceError } from '../contract/errors.js';
import { StoreUnavailable } from './log.js';

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

/** The process that had the name before is at work. */
export function nodeNameInUse(node: string): ServiceError {
  return new ServiceError('cluster.NODE_NAME_IN_USE', {
    message: `Another process is the node ${node} of this cluster. Give each node a --node of its own, or end the other one first.`,
    details: { node },
  });
}

/** What is sent there would reach the other one. */
export function nodeAddressInUse(address: string, other: string): ServiceError {
  return new ServiceError('cluster.NODE_ADDRESS_IN_USE', {
    message: `${address} leads to the node ${other}. Name with --node-address where the other nodes reach this one.`,
    details: { address, node: other },
  });
}

/** A copy has what the log has lost. */
export function logWentBack(home: number, position: number, end: number): ServiceError {
  return new ServiceError('cluster.LOG_WENT_BACK', {
    message: `The log of home ${home} ends at ${end}, but the copy on this node is at ${position}.`,
    details: { home, position, end },
  });
}

/** Of a node that starts, or of a command. */
export function logAway(cause: Error): ServiceError {
  const reason = cause.message === '' ? ((cause.cause as { code?: string } | undefined)?.code ?? 'no answer') : cause.message;
  return new ServiceError('control.UNAVAILABLE', {
    message: `${cause instanceof StoreUnavailable ? 'The store of the cluster cannot be used' : 'The log of the cluster cannot be reached'}: ${reason.replace(/\.$/, '')}.`,
    cause,
  });
}
