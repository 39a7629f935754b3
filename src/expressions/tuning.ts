// The figures that tune this module: what counts as a step of `exprStepsMax` (src/contract/limits.ts), by what was measured, so that a step
// of any kind takes about the same time. They are part of which expressions are decided: a change is a change for users.

export const tuning = {
  /** One instruction of RE2 for each character. */
  stepsOfInstruction: 3,
  /** Characters that are compared, copied or matched in one step. */
  charsOfStep: 8,
  /** Reading a time, a duration, and a part of a time in a time zone. */
  stepsOfTime: 60,
  stepsOfDuration: 20,
  stepsOfZonedPart: 600,
};
