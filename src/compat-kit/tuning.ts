// The figures that tune this module.

export const tuning = {
  /** Of one response: a union that none of its parts fits has faults of each part. */
  faultsShown: 8,
  /** Of a route: a checker that notices nothing in these is one that notices nothing. Some checkers ask a compiler about each. */
  responsesSpoiledMax: 4,
  membersSpoiledMax: 40,
  /** A page of a list of objects, whose members are objects. */
  spoiledDepthMax: 5,
  /** Of all kinds of response of a package, each at its place. */
  membersHeldMax: 100_000,
};
