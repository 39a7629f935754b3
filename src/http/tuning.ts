// The figures that tune this module. Bounds of requests are in src/contract/limits.ts.

export const tuning = {
  /** Looks for connections past their time in the shorter of their times, and the shortest time between two. */
  connectionLooksPerTimeout: 10,
  connectionLookMsMin: 50,
  /** Descriptors of a host of worlds: a thread has its loop and its data file, a process its pipes and its page. */
  hostDescriptors: 8,
  /** Descriptors of all else: catalog, blobs, bundles, workers, callbacks. */
  otherDescriptors: 256,
  /** A JSON body that takes no more than a millisecond or two to parse and check is not put off. */
  jsonBytesOfTurnMax: 64 * 1024,
  /** Bounds of the histograms' buckets, in seconds: requests, work of some seconds, work of up to hours. */
  requestSeconds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  workSeconds: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  longSeconds: [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400],
  /** The same of one append to the log of a cluster: records of turns that waited together, and their bytes. */
  appendRecords: [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024],
  appendBytes: [1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216],
};
