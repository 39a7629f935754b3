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
  WorldSession,
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
import type { HostedRun, RunError, RunResult } from '../run/run.js';
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

/** Makes validators of shapes of one schema document; `checks` gets the generated check of each. */
export function validatorsOver(shapes: Shapes, checks: Map<string, (value: unknown) => boolean>, rules: Refinements = refinements) {
  const refinementOf = layRefinements(shapes, rules);
  return <T>(name: string, fits: (value: unknown) => value is T, bounds: JsonBounds = valueBounds): Validator<T> => {
    if (shapes[name] === undefined) throw new Error(`there is no shape ${name}`);
    checks.set(name, fits);
    const refine = refinementOf(name);
    const validate = (value: unknown): Validation<T> => {
      const fault = checkJson(value, bounds);
      if (fault !== null) return { ok: false, issues: [{ path: fault.path, code: 'not_json', message: `the value ${fault.message}` }] };
      const issues: Issue[] = [];
      if (fits(value)) {
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

// What authors write.
export const validateRootFile = validator<RootFile>('RootFile', typia.createEquals<RootFile>());
export const validateWorld = validator<WorldInput>('WorldInput', typia.createEquals<WorldInput>());
export const validateScenario = validator<ScenarioInput>('ScenarioInput', typia.createEquals<ScenarioInput>());
export const validateTargetDocument = validator<TargetDocumentInput>('TargetDocumentInput', typia.createEquals<TargetDocumentInput>());
export const validateTarget = validator<TargetInput>('TargetInput', typia.createEquals<TargetInput>());
export const validateDrill = validator<DrillInput>('DrillInput', typia.createEquals<DrillInput>());
export const validateDrillCases = validator<DrillCases>('DrillCases', typia.createEquals<DrillCases>());
export const validateSuite = validator<SuiteInput>('SuiteInput', typia.createEquals<SuiteInput>());
export const validateToolPackageFile = validator<ToolPackageFile>('ToolPackageFile', typia.createEquals<ToolPackageFile>());
export const validateToolManifest = validator<ToolManifestInput>('ToolManifestInput', typia.createEquals<ToolManifestInput>());
export const validateToolStarter = validator<ToolStarter>('ToolStarter', typia.createEquals<ToolStarter>());
export const validateToolPackField = validator<ToolPackField>('ToolPackField', typia.createEquals<ToolPackField>());
export const validateCreateToolSetupRequest = validator<CreateToolSetupRequest>(
  'CreateToolSetupRequest',
  typia.createEquals<CreateToolSetupRequest>(),
);

// What agents and embedders send.
export const validateCallPath = validator<CallPath>('CallPath', typia.createEquals<CallPath>());
export const validateCallRequest = validator<CallRequest>('CallRequest', typia.createEquals<CallRequest>());
export const validateReceiverPath = validator<ReceiverPath>('ReceiverPath', typia.createEquals<ReceiverPath>());
export const validateReceiveRequest = validator<ReceiveRequest>('ReceiveRequest', typia.createEquals<ReceiveRequest>());
export const validateWaitRequest = validator<WaitRequest>('WaitRequest', typia.createEquals<WaitRequest>());
export const validateAuthorAnswer = validator<AuthorAnswer>('AuthorAnswer', typia.createEquals<AuthorAnswer>());
export const validateTargetCompletion = validator<TargetCompletion>('TargetCompletion', typia.createEquals<TargetCompletion>());
export const validateJudgeAnswer = validator<JudgeAnswer>('JudgeAnswer', typia.createEquals<JudgeAnswer>());
export const validateCompleteRequest = validator<CompleteRequest>('CompleteRequest', typia.createEquals<CompleteRequest>());
export const validateWorldCommand = validator<WorldCommand>('WorldCommand', typia.createEquals<WorldCommand>());

// What we emit, for readers of files and for tests.
export const validateCallResponse = validator<CallResponse>('CallResponse', typia.createEquals<CallResponse>(), recordBounds);
export const validateWaitResponse = validator<WaitResponse>('WaitResponse', typia.createEquals<WaitResponse>(), recordBounds);
export const validateToolsResponse = validator<ToolsResponse>('ToolsResponse', typia.createEquals<ToolsResponse>());
export const validateEvidenceEntry = validator<EvidenceEntry>('EvidenceEntry', typia.createEquals<EvidenceEntry>(), recordBounds);
export const validateRunResult = validator<RunResult>('RunResult', typia.createEquals<RunResult>(), recordBounds);
export const validateRunReport = validator<RunReport>('RunReport', typia.createEquals<RunReport>(), recordBounds);
export const validateRunEvent = validator<RunEvent>('RunEvent', typia.createEquals<RunEvent>(), recordBounds);
export const validateRunError = validator<RunError>('RunError', typia.createEquals<RunError>());
export const validateHostedRun = validator<HostedRun>('HostedRun', typia.createEquals<HostedRun>(), recordBounds);
export const validateTimeAdvanceResult = validator<TimeAdvanceResult>('TimeAdvanceResult', typia.createEquals<TimeAdvanceResult>());
export const validateWorldSession = validator<WorldSession>('WorldSession', typia.createEquals<WorldSession>());
export const validateWorldSessionRuntime = validator<WorldSessionRuntime>('WorldSessionRuntime', typia.createEquals<WorldSessionRuntime>());
export const validateAuthoringSession = validator<AuthoringSession>('AuthoringSession', typia.createEquals<AuthoringSession>());
export const validateAuthoringSessionList = validator<AuthoringSessionList>(
  'AuthoringSessionList',
  typia.createEquals<AuthoringSessionList>(),
);
export const validateDatasetRevisionView = validator<DatasetRevisionView>('DatasetRevisionView', typia.createEquals<DatasetRevisionView>());
export const validateSourceDataChoices = validator<SourceDataChoices>('SourceDataChoices', typia.createEquals<SourceDataChoices>());
export const validateSourceBaseline = validator<SourceBaseline>('SourceBaseline', typia.createEquals<SourceBaseline>());
export const validateCliOrganizationList = validator<CliOrganizationList>('CliOrganizationList', typia.createEquals<CliOrganizationList>());
export const validateErrorEnvelope = validator<ErrorEnvelope>('ErrorEnvelope', typia.createEquals<ErrorEnvelope>());
export const validateDiagnostic = validator<Diagnostic>('Diagnostic', typia.createEquals<Diagnostic>());
export const validateProjectView = validator<ProjectView>('ProjectView', typia.createEquals<ProjectView>());
export const validateImplementationSource = validator<ImplementationSource>(
  'ImplementationSource',
  typia.createEquals<ImplementationSource>(),
);
export const validateWorldProgram = validator<WorldProgram>('WorldProgram', typia.createEquals<WorldProgram>());
export const validateCompiledBuild = validator<CompiledBuild>('CompiledBuild', typia.createEquals<CompiledBuild>());
