// The patterns of one evaluation: RE2, which takes linear time. Each is compiled once, and paid for by what it becomes: repetitions are
// written out, and every character of a text may meet every instruction.
import { RE2JS } from '@bufbuild/re2';
import { limits } from '../contract/limits.js';
import { tuning } from './tuning.js';

export interface Pattern {
  test(text: string): boolean;
}

export class Patterns {
  readonly #spend: (steps: number) => void;
  readonly #compiled = new Map<string, Pattern>();

  constructor(spend: (steps: number) => void) {
    this.#spend = spend;
  }

  compile(pattern: string): Pattern {
    let compiled = this.#compiled.get(pattern);
    if (compiled === undefined) {
      compiled = this.#metered(pattern);
      this.#compiled.set(pattern, compiled);
    }
    return compiled;
  }

  #metered(pattern: string): Pattern {
    if (pattern.length > limits.exprPatternCharsMax) throw new Error(`a pattern has at most ${limits.exprPatternCharsMax} characters`);
    const compiled = RE2JS.compile(pattern);
    const instructions = compiled.re2().prog.numInst();
    this.#spend(instructions * tuning.stepsOfInstruction);
    return {
      test: (text) => {
        this.#spend(instructions * Math.ceil((text.length + 1) / tuning.charsOfStep));
        return compiled.test(text);
      },
    };
  }
}
