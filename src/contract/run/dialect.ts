// Dialects: the ports through which another program of this contract may write its packages and projects, and speak to agents, in shapes
// of its own. Native code asks the dialect at its edges and knows none by name; `own...Dialect` is Drillyard's own, which changes nothing.
import type { ErrorEnvelope } from '../errors.js';
import type { JsonObject, JsonValue } from '../json.js';
import type { CallResponse, ToolsResponse } from '../world/agent-binding.js';
import type { ToolOutcome } from '../world/evidence.js';
import type { McpToolNames } from './target.js';

/** What a document of a repository is. `package`: the field of a package.json that describes a tool package. */
export type SourceKind = 'root' | 'package' | 'world' | 'tool' | 'starter' | 'scenario' | 'target' | 'drill' | 'suite';

/** A shape that the dialect has, and that nothing here means the same by. */
export interface ShapeRefusal {
  /** JSON Pointer into the document as it was written. */
  path: string;
  message: string;
  suggestion?: string;
}
/** A document in Drillyard's shapes. With refusals it is not read further. */
export interface ReadShape {
  value: JsonValue;
  refusals: readonly ShapeRefusal[];
  /** Documents that the file holds beside itself, each with its place in it. */
  inside?: readonly { kind: SourceKind; path: string; value: JsonValue }[];
}
/** A module of this installation that a behavior is bundled with: what `wrap` gives for the default export is the behavior. */
export interface BehaviorKit {
  /** Below the folder of built sources, as `compat/behavior.js`. */
  file: string;
  wrap: string;
  /** The second argument of `wrap`. */
  settings: JsonValue;
}
export interface SourceDialect {
  /** Undefined: Drillyard's own. A build carries it (`compat.dialect`). */
  readonly name: string | undefined;
  /** `engine` of a manifest is a range of Drillyard's versions. */
  readonly isOwnEngine: boolean;
  /** Its modules are written against the types of `drillyard/tool-sdk`. */
  readonly hasOwnTypes: boolean;
  read(kind: SourceKind, value: JsonValue): ReadShape;
  /** Where what is adapted of the shape at a path is said, for people; undefined in a dialect that is read as it is. */
  adviceOn(kind: SourceKind, path: string): string | undefined;
  /** Beside `drillyard/tool-sdk` and the names that a root file lists. */
  isSdk(specifier: string): boolean;
  readonly behaviorKit: BehaviorKit | undefined;
}

/** How agents are spoken to over the generic routes and MCP. */
export interface AgentDialect {
  tools(listed: ToolsResponse): object;
  /** Of a call: the status of the reply, and its body. */
  called(call: Pick<CallResponse, 'callId' | 'correlationId' | 'outcome'>, asked: { packageId: string; operationId: string }): AgentReply;
  /** The body of any refusal. */
  refused(envelope: ErrorEnvelope): object;
  readonly mcp: McpDialect;
}
export interface AgentReply {
  status: number;
  body: object;
}
export interface McpDialect {
  /** Where the URL does not say. */
  readonly toolNames: McpToolNames;
  /** A tool with a name of its manifest is listed by `packageId.operationId`, too. */
  readonly listsBothNames: boolean;
  /** Members of `_meta` that are an idempotency key; the first that is there counts. */
  readonly keyNames: readonly string[];
  /** The binding makes a key where an operation needs one and the call has none. */
  readonly makesKeys: boolean;
  /** What `structuredContent` is of an outcome that is an error; undefined: there is none. */
  failed(outcome: Exclude<ToolOutcome, { kind: 'ok' }>): JsonObject | undefined;
}

/** How a target is asked, and what its answer means. */
export interface TargetDialect {
  /** `environment`: what a command finds of its bindings in its environment. */
  invocation(native: object, environment: { readonly [name: string]: string }): object;
  /** What an output that a target completed with says. */
  answer(output: JsonValue): TargetAnswer;
}
export type TargetAnswer =
  | { status: 'completed'; output?: JsonValue }
  | { status: 'failed' | 'timed_out' | 'cancelled'; error: { code: string; message: string; details: JsonObject } };

/** What a build is played with. */
export interface RunDialect {
  readonly agents: AgentDialect;
  readonly targets: TargetDialect;
}

export const ownSourceDialect: SourceDialect = {
  name: undefined,
  isOwnEngine: true,
  hasOwnTypes: true,
  read: (_, value) => ({ value, refusals: [] }),
  adviceOn: () => undefined,
  isSdk: () => false,
  behaviorKit: undefined,
};

/** A client of ours says with this header that it wants our own words, whatever those of the agents are. */
export const ownWordsHeader = 'x-drillyard-words';

export const ownAgentDialect: AgentDialect = {
  tools: (listed) => listed,
  called: ({ callId, correlationId, outcome }) => {
    const body: CallResponse = { schemaVersion: 1, callId, correlationId, outcome };
    return { status: 200, body };
  },
  refused: (envelope) => envelope,
  mcp: {
    toolNames: 'underscores',
    listsBothNames: false,
    keyNames: ['drillyard/idempotencyKey'],
    makesKeys: false,
    failed: () => undefined,
  },
};

export const ownRunDialect: RunDialect = {
  agents: ownAgentDialect,
  targets: { invocation: (native) => native, answer: (output) => ({ status: 'completed', output }) },
};
