// The figures that tune this module. Bounds of sources are in src/contract/limits.ts.

export const tuning = {
  /** How deep names of a behavior may stand for names: deeper ones are looked at in the realm. */
  outlineNamesDeepMax: 20,
  /** So many known names are listed whole where none is near; more would hide the message. */
  knownNamesListed: 12,
  /** Of one diagnostic. */
  casesNamed: 5,
};
