// What the operator of a service should know of its safety and its bounds, gathered where it starts: the ready line and /readyz tell it.

export interface ServiceWarning {
  /** Lower case and underscores; stable, for programs. */
  code: string;
  /** A sentence or two: what is so, and what to do about it. */
  message: string;
}
