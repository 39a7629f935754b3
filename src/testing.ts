// What the authors of tests import as `drillyard/testing`: worlds in process, for node:test, vitest or anything else.
export { ServiceError } from './contract/errors.js';
export type { JsonObject, JsonValue } from './contract/json.js';
export type { EvidenceEntry } from './contract/world/evidence.js';
export type { AdvanceResult, WorldPosition } from './contract/world/world-protocol.js';
export type { LocalWorld } from './local-world.js';
export { type MockedTool, type MockToolOptions, mockTool } from './testing/mock-tool.js';
export { type OpenWorldOptions, openWorld, type TestWorld } from './testing/open-world.js';
export {
  type RecordedCall,
  type TestTool,
  ToolCallError,
  type ToolCallOptions as CallOptions,
  type ToolChoice,
} from './testing/test-tool.js';
export type { ToolTypes } from './tools/sdk.js';
