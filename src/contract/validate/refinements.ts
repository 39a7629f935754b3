// What types cannot say about the shapes of this module: one small rule a shape, for values whose shape is right; and of each rule that
// JSON Schema can say what it says there (docs/schemas), so that an editor refuses what a check refuses.
import type { JsonObject } from '../json.js';
import type {
  CountBounds,
  ExpectedChange,
  ExprAssertionInput,
  Footprint,
  OperationArgumentsAssertionInput,
  OutputValueAssertionInput,
  StateDiffAssertionInput,
  StateValueAssertionInput,
  TimeReachedAssertionInput,
} from '../run/assertion.js';
import type { LongDrillInput, ShortDrillInput, TrialsInput } from '../run/drill.js';
import type { TargetInput } from '../run/target.js';
import { isSeed } from '../seed-text.js';
import type { Refinements, Report } from '../shape-refine.js';
import type { DeliveryFault, ToolFault, ToolHttpRoute } from '../world/tool-manifest.js';
import type { McpResourceContents, ToolMcp } from '../world/tool-mcp.js';

export const refinements = {
  Seed: refineSeed,
  CountBounds: refineCountBounds,
  StateValueAssertionInput: refineComparison,
  OperationArgumentsAssertionInput: refineComparison,
  OutputValueAssertionInput: refineComparison,
  TimeReachedAssertionInput: refineTime,
  Footprint: refineFootprint,
  ExpectedChange: refineChange,
  StateDiffAssertionInput: refineDiff,
  ExprAssertionInput: refineExpression,
  ModuleTargetInput: refineBindings,
  CommandTargetInput: refineBindings,
  HttpTargetInput: refineBindings,
  ExternalTarget: refineBindings,
  ShortDrillInput: refineScenarioChoice,
  LongDrillInput: refineScenarioChoice,
  TrialsInput: refineTrials,
  ToolFault: refineFault,
  DeliveryFault: refineDelivery,
  ToolHttpRoute: refineRoute,
  ToolGraphql: refineAuth,
  ToolMcp: refineProgress,
  McpResourceContents: refineResource,
} satisfies Refinements;

type Rules = readonly JsonObject[];
const has = (...required: string[]): JsonObject => ({ required });
const without = (...members: string[]): JsonObject => ({ properties: Object.fromEntries(members.map((member) => [member, false])) });
const of = (properties: { [member: string]: JsonObject }): JsonObject => ({ properties });
const where = (member: string, value: JsonObject, rule: JsonObject): JsonObject => ({
  if: { properties: { [member]: value }, required: [member] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: rule,
});
// A text may be the placeholder of a case.
const compared: Rules = [where('comparison', { const: 'one_of' }, of({ expected: { type: ['array', 'string'] } }))];
const namesOnce: Rules = [of({ bindings: { uniqueItems: true } })];
const oneScenario: Rules = [{ not: has('scenarioId', 'inlineScenario') }];
/** Of each timing of a fault, the member that it has; those of other timings it has not. */
const memberOfTiming = { before: 'error', after_commit: 'error', latency: 'latencyUs', delivery: 'delivery', stream: 'stream' } as const;
const timed: Rules = Object.entries(memberOfTiming).map(([timing, own]) => {
  const others = ['error', 'latencyUs', 'delivery', 'stream'].filter((member) => member !== own);
  return where('timing', { const: timing }, { ...has(own), ...without(...others) });
});
/** Where `auth` is a list. */
const authList: JsonObject = { uniqueItems: true, items: { not: { properties: { kind: { const: 'none' } } } } };
const variableName = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';

/**
 * By shape, JSON Schemas that all hold. Not here is what compares two numbers: bounds of counts, trials, progress, windows, and the
 * greatest seed.
 */
export const refinementSchemas: { readonly [shape in Exclude<keyof typeof refinements, NumbersAlone>]: Rules } = {
  CountBounds: [{ anyOf: [has('equals'), has('atLeast'), has('atMost')] }, where('equals', {}, without('atLeast', 'atMost'))],
  StateValueAssertionInput: compared,
  OperationArgumentsAssertionInput: compared,
  OutputValueAssertionInput: compared,
  TimeReachedAssertionInput: [{ oneOf: [has('virtualTimeUs'), has('afterStartUs')] }],
  Footprint: [where('rowId', {}, has('namespace'))],
  ExpectedChange: [
    where('change', { const: 'insert' }, without('before', 'only')),
    where('change', { const: 'delete' }, without('after', 'only')),
  ],
  StateDiffAssertionInput: [where('exact', { const: false }, of({ changes: { minItems: 1 } }))],
  ExprAssertionInput: [of({ state: { propertyNames: { pattern: variableName } } })],
  ModuleTargetInput: namesOnce,
  CommandTargetInput: namesOnce,
  HttpTargetInput: namesOnce,
  ExternalTarget: namesOnce,
  ShortDrillInput: oneScenario,
  LongDrillInput: oneScenario,
  ToolFault: timed,
  DeliveryFault: [
    where('kind', { enum: ['delay', 'reorder'] }, has('delayUs')),
    where('kind', { enum: ['drop', 'duplicate'] }, without('delayUs')),
  ],
  ToolHttpRoute: [
    of({
      requestBody: { uniqueItems: true, items: { not: { enum: ['none', 'any_json'] } } },
      auth: authList,
    }),
  ],
  ToolGraphql: [of({ auth: authList })],
  McpResourceContents: [{ oneOf: [has('text'), has('blob')] }],
};
type NumbersAlone = 'Seed' | 'TrialsInput' | 'ToolMcp';

function refineSeed(seed: string, report: Report): void {
  if (!isSeed(seed)) report('', 'too_large', 'expected at most 18446744073709551615, the greatest unsigned 64-bit integer');
}

function refineCountBounds({ equals, atLeast, atMost }: CountBounds, report: Report): void {
  if (equals === undefined && atLeast === undefined && atMost === undefined) {
    report('', 'required', 'at least one of "equals", "atLeast" and "atMost" is required; without any of them every count would do');
  } else if (equals !== undefined && (atLeast !== undefined || atMost !== undefined)) {
    report('/equals', 'conflict', '"equals" already says how many; leave out "atLeast" and "atMost"');
  } else if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    report('/atMost', 'conflict', `no count is at least ${atLeast} and at most ${atMost}`);
  }
}

type ComparingInput = StateValueAssertionInput | OperationArgumentsAssertionInput | OutputValueAssertionInput;
function refineComparison({ comparison, expected }: ComparingInput, report: Report): void {
  if (comparison === 'one_of' && !Array.isArray(expected)) {
    report('/expected', 'wrong_type', 'expected a list: "one_of" compares with each of its items');
  }
}

function refineTime({ virtualTimeUs, afterStartUs }: TimeReachedAssertionInput, report: Report): void {
  if (virtualTimeUs === undefined && afterStartUs === undefined) {
    report('/afterStartUs', 'required', '"afterStartUs" or "virtualTimeUs" is required: the time that the clock shall get to');
  } else if (virtualTimeUs !== undefined && afterStartUs !== undefined) {
    report('/virtualTimeUs', 'conflict', 'one time is enough: leave out "afterStartUs" or "virtualTimeUs"');
  }
}

function refineFootprint({ namespace, rowId }: Footprint, report: Report): void {
  if (rowId !== undefined && namespace === undefined)
    report('/namespace', 'required', '"namespace" is required: a row id is one of its namespace');
}

function refineChange({ change, before, after, only }: ExpectedChange, report: Report): void {
  if (change === 'insert' && before !== undefined) report('/before', 'conflict', 'there is no row before an insert; leave out "before"');
  if (change === 'delete' && after !== undefined) report('/after', 'conflict', 'there is no row after a delete; leave out "after"');
  if (change !== 'update' && only !== undefined) report('/only', 'conflict', '"only" names the members that an update changes');
}

function refineDiff({ changes, exact }: StateDiffAssertionInput, report: Report): void {
  if (changes.length === 0 && exact === false)
    report('/changes', 'conflict', 'no change is expected and any is allowed, so this can never fail; name one, or leave out "exact"');
}

function refineExpression({ state = {} }: ExprAssertionInput, report: Report): void {
  for (const name of Object.keys(state)) {
    if (new RegExp(variableName).test(name)) continue;
    report(
      `/state/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      'pattern',
      'expected a name that an expression can use: letters, digits and underscores, no digit first',
    );
  }
}

function refineBindings({ bindings }: TargetInput, report: Report): void {
  bindings.forEach((binding, index) => {
    if ((bindings as string[]).indexOf(binding) < index) report(`/bindings/${index}`, 'duplicate', `"${binding}" is listed already`);
  });
}

function refineScenarioChoice({ scenarioId, inlineScenario }: ShortDrillInput | LongDrillInput, report: Report): void {
  if (scenarioId === undefined || inlineScenario === undefined) return;
  report('/inlineScenario', 'conflict', 'a drill runs in one scenario: leave out "scenarioId" or "inlineScenario"');
}

function refineTrials({ count = 1, require }: TrialsInput, report: Report): void {
  if (require?.passHatK === undefined || require.passHatK <= count) return;
  report('/require/passHatK', 'conflict', `there are ${count} trials, so no ${require.passHatK} of them can pass`);
}

function refineRoute(route: ToolHttpRoute, report: Report): void {
  refineAuth(route, report);
  const { requestBody } = route;
  if (typeof requestBody === 'string') return;
  requestBody.forEach((kind, index) => {
    if (requestBody.indexOf(kind) < index) report(`/requestBody/${index}`, 'duplicate', `"${kind}" is listed already`);
    if (kind === 'none') report(`/requestBody/${index}`, 'conflict', '"none" stands alone: a request may be without a body in any case');
    if (kind === 'any_json') report(`/requestBody/${index}`, 'conflict', '"any_json" stands alone: it takes every content type');
  });
}

function refineAuth({ auth }: Pick<ToolHttpRoute, 'auth'>, report: Report): void {
  if (!Array.isArray(auth)) return;
  const texts = auth.map((place) => JSON.stringify(place));
  auth.forEach(({ kind }, index) => {
    if (texts.indexOf(texts[index] as string) < index) report(`/auth/${index}`, 'duplicate', `${texts[index]} is listed already`);
    if (kind === 'none') report(`/auth/${index}`, 'conflict', '"none" stands alone: a request needs no credential then');
  });
}

const missingOfTiming = {
  error: 'it is what the caller gets instead of the answer',
  latencyUs: 'a latency fault adds this much virtual time',
  delivery: 'it says what happens to the request',
  stream: 'it says after how many events the reply ends',
};
const noErrorBecause = {
  latencyUs: 'a latency fault answers as usual, only later',
  delivery: 'a fault of a delivery hits no call',
  stream: 'a fault of a stream cuts what is sent, and the call stands',
};
function refineFault(fault: ToolFault, report: Report): void {
  const { timing, error, latencyUs, delivery, stream, fromUs, untilUs } = fault;
  const own = memberOfTiming[timing];
  if (fault[own] === undefined) report(`/${own}`, 'required', `"${own}" is required: ${missingOfTiming[own]}`);
  if (own !== 'error' && error !== undefined) report('/error', 'conflict', `${noErrorBecause[own]}; leave out "error"`);
  if (timing !== 'latency' && latencyUs !== undefined)
    report('/latencyUs', 'conflict', 'only a fault with the timing "latency" adds virtual time');
  if (timing !== 'delivery' && delivery !== undefined)
    report('/delivery', 'conflict', 'only a fault with the timing "delivery" hits deliveries');
  if (timing !== 'stream' && stream !== undefined) report('/stream', 'conflict', 'only a fault with the timing "stream" cuts a stream');
  if (fromUs !== undefined && untilUs !== undefined && fromUs >= untilUs)
    report('/untilUs', 'conflict', 'the window ends before it begins');
}

function refineDelivery({ kind, delayUs }: DeliveryFault, report: Report): void {
  const isHeld = kind === 'delay' || kind === 'reorder';
  if (isHeld && delayUs === undefined) report('/delayUs', 'required', `"delayUs" is required: how long the delivery is held back at most`);
  if (!isHeld && delayUs !== undefined) report('/delayUs', 'conflict', 'only "delay" and "reorder" hold a delivery back');
}

function refineProgress({ progress = [] }: ToolMcp, report: Report): void {
  progress.forEach((step, index) => {
    const before = progress[index - 1];
    if (before !== undefined && step.progress <= before.progress)
      report(`/progress/${index}/progress`, 'too_small', `expected more than ${before.progress}: progress rises with each step`);
  });
}

function refineResource({ text, blob }: McpResourceContents, report: Report): void {
  if (text === undefined && blob === undefined) report('/text', 'required', '"text" or "blob" is required: what the resource holds');
  else if (text !== undefined && blob !== undefined) report('/blob', 'conflict', 'a resource is a text or a blob; leave out one of them');
}
