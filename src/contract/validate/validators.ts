// The only file that names typia at run time. typia turns each type below into a fast check (extra members are refused) and into a
// schema; when a check says no, shape-issues.ts walks the schema and tells every broken path.
import typia, { type tags } from 'typia';
import type { ErrorEnvelope, Issue } from '../errors.js';
import type { AuthorAnswer } from '../hosted/authoring.js';
import type { LongRunningOperation, TimeAdvanceResult } from '../hosted/operation.js';
import type {
  AuthoringSession,
  AuthoringSessionList,
  CliOrganizationList,
  CreateToolSetupRequest,
  DatasetRevisionView,
  SourceBaseline,
  SourceDataChoices,
  WorldSessionRuntime,
} from '../hosted/resources.js';
import { checkJson } from '../json-check.js';
import { type JsonBounds, recordBounds, valueBounds } from '../json-fault.js';
import { limits } from '../limits.js';
import type { CompleteRequest } from '../run/agent-desk.js';
import type { CompiledBuild, Diagnostic, WorldProgram } from '../run/build.js';
import type { DrillCases, DrillInput, SuiteInput } from '../run/drill.js';
import type { JudgeAnswer } from '../run/judge-answer.js';
import type { RootFile, WorldInput } from '../run/project-files.js';
import type { ImplementationSource, ProjectView } from '../run/project-view.js';
import type { HostedRun, RunResult } from '../run/run.js';
import type { RunEvent, RunReport } from '../run/run-events.js';
import type { TargetDocumentInput, TargetInput } from '../run/target.js';
import type { TargetCompletion } from '../run/target-completion.js';
import type { Shapes } from '../shape.js';
import { shapeIssues } from '../shape-issues.js';
import { layRefinements, type Refinements } from '../shape-refine.js';
import type {
  CallPath,
  CallRequest,
  CallResponse,
  ReceiveRequest,
  ReceiverPath,
  ToolsResponse,
  WaitRequest,
  WaitResponse,
} from '../world/agent-binding.js';
import type { EvidenceEntry } from '../world/evidence.js';
import type { ScenarioInput } from '../world/scenario.js';
import type { ToolManifestInput, ToolPackageFile, ToolPackField, ToolStarter } from '../world/tool-manifest.js';
import type { WorldCommand } from '../world/world-protocol.js';
import { refinements } from './refinements.js';

export type Validation<T> = { ok: true; value: T } | { ok: false; issues: Issue[] };
/** `shape`: the name of what it validates. */
export type Validator<T> = ((value: unknown) => Validation<T>) & { readonly shape: string };

const patterns = new Map<string, globalThis.RegExp>();
/** The generated checks say `RegExp("...")` at every use, which would compile the pattern again; in this module that is a look-up. */
// biome-ignore lint/suspicious/noShadowRestrictedNames: shadowing it is the point
function RegExp(source: string): globalThis.RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new globalThis.RegExp(source);
    patterns.set(source, pattern);
  }
  return pattern;
}

const { components } = typia.json.schemas<
  [
    RootFile,
    WorldInput,
    ScenarioInput,
    TargetDocumentInput,
    DrillInput,
    DrillCases,
    SuiteInput,
    ToolPackageFile,
    ToolStarter,
    ToolPackField,
    CreateToolSetupRequest,
    CallPath,
    CallRequest,
    WaitRequest,
    ReceiverPath,
    ReceiveRequest,
    WorldCommand,
    AuthorAnswer,
    TargetCompletion,
    JudgeAnswer,
    CompleteRequest,
    CallResponse,
    WaitResponse,
    ToolsResponse,
    EvidenceEntry,
    RunEvent,
    RunReport,
    HostedRun,
    LongRunningOperation,
    TimeAdvanceResult,
    WorldSessionRuntime,
    AuthoringSession,
    AuthoringSessionList,
    DatasetRevisionView,
    SourceDataChoices,
    SourceBaseline,
    CliOrganizationList,
    ErrorEnvelope,
    ProjectView,
    ImplementationSource,
    WorldProgram,
    CompiledBuild,
  ],
  '3.1'
>();
/** Every shape of the contract by name. */
export const shapes = components.schemas as Shapes;

const formats = { uri: typia.createIs<string & tags.Format<'uri'>>() };
/** What the walk over schemas shares with the generated checks; a test holds the two against each other. */
export const wordings = { shapes, patternOf: RegExp, formats };
/** The generated checks by the name of their shape. */
export const shapeChecks = new Map<string, (value: unknown) => boolean>();

const validator = validatorsOver(shapes, shapeChecks);

/** A process that starts asks few of the checks, and would compile all of them. */
export function madeWhenAsked<T>(makeCheck: () => (value: unknown) => value is T): (value: unknown) => value is T {
  let check: ((value: unknown) => value is T) | undefined;
  return (value): value is T => {
    check ??= makeCheck();
    return check(value);
  };
}

/** Makes validators of shapes of one schema document; `checks` gets the generated check of each. */
export function validatorsOver(shapes: Shapes, checks: Map<string, (value: unknown) => boolean>, rules: Refinements = refinements) {
  // A walk over all shapes, for the first value that fits one.
  let refinementOf: ReturnType<typeof layRefinements> | undefined;
  return <T>(name: string, makeCheck: () => (value: unknown) => value is T, bounds: JsonBounds = valueBounds): Validator<T> => {
    if (!Object.hasOwn(shapes, name)) throw new Error(`there is no shape ${name}`);
    const fits = madeWhenAsked(makeCheck);
    checks.set(name, fits);
    let refine: ReturnType<NonNullable<typeof refinementOf>> | null = null;
    const validate = (value: unknown): Validation<T> => {
      const fault = checkJson(value, bounds);
      if (fault !== null) return { ok: false, issues: [{ path: fault.path, code: 'not_json', message: `the value ${fault.message}` }] };
      const issues: Issue[] = [];
      if (fits(value)) {
        if (refine === null) {
          refinementOf ??= layRefinements(shapes, rules);
          refine = refinementOf(name);
        }
        refine?.(value, '', (path, code, message) => {
          if (issues.length < limits.issuesMax) issues.push({ path, code, message });
        });
        return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
      }
      issues.push(...shapeIssues({ ...wordings, shapes, refinements: rules }, name, value));
      if (issues.length === 0) issues.push({ path: '', code: 'invalid', message: `expected a ${name}` });
      return { ok: false, issues };
    };
    return Object.assign(validate, { shape: name });
  };
}

// Each says that making it does nothing else, so that a bundle has those alone which something in it names.

// What authors write.
export const validateRootFile = /* @__PURE__ */ validator<RootFile>('RootFile', () => typia.createEquals<RootFile>());
export const validateWorld = /* @__PURE__ */ validator<WorldInput>('WorldInput', () => typia.createEquals<WorldInput>());
export const validateScenario = /* @__PURE__ */ validator<ScenarioInput>('ScenarioInput', () => typia.createEquals<ScenarioInput>());
export const validateTargetDocument = /* @__PURE__ */ validator<TargetDocumentInput>('TargetDocumentInput', () =>
  typia.createEquals<TargetDocumentInput>(),
);
export const validateTarget = /* @__PURE__ */ validator<TargetInput>('TargetInput', () => typia.createEquals<TargetInput>());
export const validateDrill = /* @__PURE__ */ validator<DrillInput>('DrillInput', () => typia.createEquals<DrillInput>());
export const validateDrillCases = /* @__PURE__ */ validator<DrillCases>('DrillCases', () => typia.createEquals<DrillCases>());
export const validateSuite = /* @__PURE__ */ validator<SuiteInput>('SuiteInput', () => typia.createEquals<SuiteInput>());
export const validateToolPackageFile = /* @__PURE__ */ validator<ToolPackageFile>('ToolPackageFile', () =>
  typia.createEquals<ToolPackageFile>(),
);
export const validateToolManifest = /* @__PURE__ */ validator<ToolManifestInput>('ToolManifestInput', () =>
  typia.createEquals<ToolManifestInput>(),
);
export const validateToolStarter = /* @__PURE__ */ validator<ToolStarter>('ToolStarter', () => typia.createEquals<ToolStarter>());
export const validateToolPackField = /* @__PURE__ */ validator<ToolPackField>('ToolPackField', () => typia.createEquals<ToolPackField>());
export const validateCreateToolSetupRequest = /* @__PURE__ */ validator<CreateToolSetupRequest>('CreateToolSetupRequest', () =>
  typia.createEquals<CreateToolSetupRequest>(),
);

// What agents and embedders send.
export const validateCallPath = /* @__PURE__ */ validator<CallPath>('CallPath', () => typia.createEquals<CallPath>());
export const validateCallRequest = /* @__PURE__ */ validator<CallRequest>('CallRequest', () => typia.createEquals<CallRequest>());
export const validateReceiverPath = /* @__PURE__ */ validator<ReceiverPath>('ReceiverPath', () => typia.createEquals<ReceiverPath>());
export const validateReceiveRequest = /* @__PURE__ */ validator<ReceiveRequest>('ReceiveRequest', () =>
  typia.createEquals<ReceiveRequest>(),
);
export const validateWaitRequest = /* @__PURE__ */ validator<WaitRequest>('WaitRequest', () => typia.createEquals<WaitRequest>());
export const validateAuthorAnswer = /* @__PURE__ */ validator<AuthorAnswer>('AuthorAnswer', () => typia.createEquals<AuthorAnswer>());
export const validateTargetCompletion = /* @__PURE__ */ validator<TargetCompletion>(
  'TargetCompletion',
  () => typia.createEquals<TargetCompletion>(),
  { ...valueBounds, depth: limits.resultDepthMax },
);
export const validateJudgeAnswer = /* @__PURE__ */ validator<JudgeAnswer>('JudgeAnswer', () => typia.createEquals<JudgeAnswer>());
export const validateCompleteRequest = /* @__PURE__ */ validator<CompleteRequest>(
  'CompleteRequest',
  () => typia.createEquals<CompleteRequest>(),
  { ...valueBounds, depth: limits.completionDepthMax },
);

// What we emit, for readers of files and for tests.
export const validateCallResponse = /* @__PURE__ */ validator<CallResponse>(
  'CallResponse',
  () => typia.createEquals<CallResponse>(),
  recordBounds,
);
export const validateWaitResponse = /* @__PURE__ */ validator<WaitResponse>(
  'WaitResponse',
  () => typia.createEquals<WaitResponse>(),
  recordBounds,
);
export const validateToolsResponse = /* @__PURE__ */ validator<ToolsResponse>('ToolsResponse', () => typia.createEquals<ToolsResponse>());
export const validateEvidenceEntry = /* @__PURE__ */ validator<EvidenceEntry>(
  'EvidenceEntry',
  () => typia.createEquals<EvidenceEntry>(),
  recordBounds,
);
export const validateRunResult = /* @__PURE__ */ validator<RunResult>('RunResult', () => typia.createEquals<RunResult>(), recordBounds);
export const validateRunReport = /* @__PURE__ */ validator<RunReport>('RunReport', () => typia.createEquals<RunReport>(), recordBounds);
export const validateRunEvent = /* @__PURE__ */ validator<RunEvent>('RunEvent', () => typia.createEquals<RunEvent>(), recordBounds);
export const validateAuthoringSession = /* @__PURE__ */ validator<AuthoringSession>('AuthoringSession', () =>
  typia.createEquals<AuthoringSession>(),
);
export const validateDatasetRevisionView = /* @__PURE__ */ validator<DatasetRevisionView>('DatasetRevisionView', () =>
  typia.createEquals<DatasetRevisionView>(),
);
export const validateSourceDataChoices = /* @__PURE__ */ validator<SourceDataChoices>('SourceDataChoices', () =>
  typia.createEquals<SourceDataChoices>(),
);
export const validateSourceBaseline = /* @__PURE__ */ validator<SourceBaseline>('SourceBaseline', () =>
  typia.createEquals<SourceBaseline>(),
);
export const validateErrorEnvelope = /* @__PURE__ */ validator<ErrorEnvelope>('ErrorEnvelope', () => typia.createEquals<ErrorEnvelope>());
export const validateDiagnostic = /* @__PURE__ */ validator<Diagnostic>('Diagnostic', () => typia.createEquals<Diagnostic>());
export const validateProjectView = /* @__PURE__ */ validator<ProjectView>('ProjectView', () => typia.createEquals<ProjectView>());
export const validateCompiledBuild = /* @__PURE__ */ validator<CompiledBuild>('CompiledBuild', () => typia.createEquals<CompiledBuild>());
