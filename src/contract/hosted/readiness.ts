// Why a service takes no work just now, by name: `details.reasons` of the 503 of /readyz.

/** In the order in which they are shown. */
export const notReadyReasons = {
  starting: 'the service is starting',
  shutting_down: 'the service is shutting down',
  disk_full: 'the disk is full',
  catalog_refuses: 'the catalog takes no writes',
  commit_lag: 'commits of the catalog take too long',
  hosts_cannot_start: 'hosts of worlds cannot start',
  cluster_lag: 'the log of the cluster does not answer',
  cluster_format: 'the cluster writes a format that this version does not read',
  cluster_name: 'another process has the name of this node',
  cluster_cut_off: 'other nodes cannot reach this one',
  cluster_no_leader: 'no node leads the cluster at the moment',
  cluster_joining: 'the copies of this node are not complete',
  event_loop_lag: 'the process is too slow to answer',
} as const;
export type NotReadyReason = keyof typeof notReadyReasons;
