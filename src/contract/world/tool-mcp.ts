// How an operation looks to clients of MCP: the `mcp` of a manifest. Every other binding knows the operation alone, and so does the
// evidence: all that is here is made from the value of a call, or stands in the manifest.
import type { JsonPath } from '../json-path.js';
import type { tags } from '../tags.js';

export interface ToolMcp {
  /** 1 to 128 of `A-Za-z0-9_.-`. Default: `packageId.operationId`. */
  name?: string;
  title?: string;
  /** Default: the operation's. */
  description?: string;
  annotations?: McpAnnotations;
  /** Whether the tool has an `outputSchema` and its results `structuredContent`. Default: true. */
  structured?: boolean;
  /** What a result says in its `content`. Default: one text, the value. */
  content?: McpContent[] & tags.MinItems<1> & tags.MaxItems<32>;
  /** What a caller that asks for progress is sent before the result of a call that succeeds; `progress` rises. */
  progress?: McpProgress[] & tags.MaxItems<100>;
  /** A client that has not said it can do these is refused (-32021), in the revision in which each request says it: 2026-07-28. */
  clientCapabilities?: ('elicitation' | 'roots' | 'sampling')[];
}
/** Hints to a client, as MCP has them. */
export interface McpAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}
export interface McpProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** Written here, or found in the value: a text as it is, anything else as JSON. */
export type McpPart = string | McpFound;
export interface McpFound {
  from: JsonPath;
}
interface McpBlock {
  /** One block for each item of this list of the value; `from` then begins at the item. */
  each?: JsonPath;
  annotations?: McpBlockAnnotations;
}
export interface McpBlockAnnotations {
  audience?: ('user' | 'assistant')[];
  priority?: number & tags.Minimum<0> & tags.Maximum<1>;
  lastModified?: string;
}
export interface McpText extends McpBlock {
  type: 'text';
  text: McpPart;
}
export interface McpImage extends McpBlock {
  type: 'image';
  /** Base64. */
  data: McpPart;
  mimeType: McpPart;
}
export interface McpAudio extends McpBlock {
  type: 'audio';
  /** Base64. */
  data: McpPart;
  mimeType: McpPart;
}
export interface McpResourceLink extends McpBlock {
  type: 'resource_link';
  uri: McpPart;
  name: McpPart;
  title?: McpPart;
  description?: McpPart;
  mimeType?: McpPart;
}
export interface McpResource extends McpBlock {
  type: 'resource';
  resource: McpResourceContents;
}
export interface McpResourceContents {
  uri: McpPart;
  mimeType?: McpPart;
  /** Either this or `blob`. */
  text?: McpPart;
  /** Base64. */
  blob?: McpPart;
}
/** A block of which a part that it needs is not found in the value is left out; so is a part that it does not need. */
export type McpContent = McpText | McpImage | McpAudio | McpResourceLink | McpResource;
