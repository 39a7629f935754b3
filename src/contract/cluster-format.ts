// The formats of records and of the wire between nodes. A node writes the format of its cluster, which is the oldest of its nodes' newest:
// so the nodes of a cluster are replaced one by one.
//   CLUSTER-FORMAT-1. A node joins only where it reads and writes the format of the cluster, and takes requests only in a format that it
//     reads.

export interface ClusterFormats {
  /** That this version can read. */
  oldest: number;
  /** That it can read and write; what a node says of itself. */
  newest: number;
}
export const clusterFormats: ClusterFormats = { oldest: 1, newest: 1 };
