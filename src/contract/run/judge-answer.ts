// What a judge answers: a module of a repository that a `custom` assertion asks.
import type { JsonValue } from '../json.js';
import type { tags } from '../tags.js';

export interface JudgeAnswer {
  /** @example false */
  passed: boolean;
  /**
   * Tells a person why.
   * @example "The reply blames the customer."
   */
  message?: string & tags.MinLength<1> & tags.MaxLength<4096>;
  /**
   * On any scale; nothing is derived from it.
   * @example 0.4
   */
  score?: number;
  /** For people, and for other programs. */
  details?: JsonValue;
}
