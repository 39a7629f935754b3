// What one validation may spend, counted in steps and not timed: the same schema refuses the same value on any machine. A step is some 0.1
// us.
// One validation at a time: nothing between `beginSteps` and its end waits.
import type { Ajv2020, KeywordCxt } from 'ajv/dist/2020.js';
import { limits } from '../contract/limits.js';
import { loadAjv } from './ajv.js';
import { tuning } from './tuning.js';

/** Thrown through a validation that takes more. */
export class TooManySteps extends Error {}

let stepsLeft = 0;
let depth = 0;

export function beginSteps(): void {
  stepsLeft = limits.validationStepsMax;
  depth = 0;
}

export function spendSteps(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new TooManySteps(`takes more than ${limits.validationStepsMax} steps to check`);
}

/** A schema of a few references can ask for more work than there are atoms, and one that refers to itself for an end of the stack. */
export function countReferences(ajv: Ajv2020): void {
  for (const keyword of ['$ref', '$dynamicRef']) {
    const rule = ajv.RULES.all[keyword];
    if (typeof rule !== 'object') continue;
    const { definition } = rule;
    rule.definition = { ...definition, code: counted(definition as { code: Code }) } as typeof definition;
  }
}

type Code = (cxt: KeywordCxt, ruleType?: string) => void;

function counted({ code }: { code: Code }): Code {
  return (cxt, ruleType) => {
    const { _ } = loadAjv();
    const { gen } = cxt;
    gen.code(_`${gen.scopeValue('func', { ref: enter })}()`);
    code(cxt, ruleType);
    gen.code(_`${gen.scopeValue('func', { ref: leave })}()`);
  };
}

function enter(): void {
  spendSteps(tuning.stepsOfReference);
  depth += 1;
  if (depth > limits.validationReferencesDeepMax)
    throw new TooManySteps(`goes through more than ${limits.validationReferencesDeepMax} references`);
}
function leave(): void {
  depth -= 1;
}
