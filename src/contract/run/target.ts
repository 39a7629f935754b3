// Targets: the agents a drill tries.
import type { HostVariableName, Slug } from '../primitives.js';
import type { tags } from '../tags.js';

export type Binding = 'direct' | 'http' | 'mcp' | 'cli';
export type RemoteBinding = 'http' | 'mcp' | 'cli';
export type BindingVariable =
  | 'SERVICE_HTTP_URL'
  | 'SERVICE_HTTP_TOKEN'
  | 'SERVICE_HTTP_KEY_ID'
  | MountVariable
  | 'SERVICE_MCP_URL'
  | 'SERVICE_MCP_TOKEN'
  | 'SERVICE_CLI_URL'
  | 'SERVICE_CLI_TOKEN';

/** Of one mount, by its name in capitals: `SERVICE_HTTP_URL_MAIL__WORK`. */
export type MountVariable = `SERVICE_HTTP_URL_${string}`;
/** path: below the base URL. host: a name below localhost. port: one of its own, for clients that take a host and a port alone. */
export type HttpMounts = 'path' | 'host' | 'port';

export type McpToolNames = 'underscores' | 'own';

type ShortTimeoutMs = number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<3600000>;
type LongTimeoutMs = number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<86400000>;
type Name = string & tags.MinLength<1> & tags.MaxLength<1024>;

interface TargetCommon {
  id: Slug;
  /** Extra environment names for the target, each filled with one binding variable. */
  bindingEnvironment?: { [name: string]: BindingVariable };
  /**
   * `underscores`: MCP lists every tool by a name of at most 64 letters, digits, `_` and `-`, as models of many vendors want it. `own`: by
   * its own name, `ticket-desk.ticket.get`. Either name calls the tool. Without it: underscores.
   *
   * @example 'own'
   */
  mcpToolNames?: McpToolNames;
  /** How the mounts of wire routes are reached. A world of a hosted service has paths alone. Without it: path. */
  httpMounts?: HttpMounts;
}
export interface ModuleTarget extends TargetCommon {
  kind: 'module';
  bindings: Binding[] & tags.MinItems<1> & tags.MaxItems<4>;
  module: Name;
  export: string & tags.MinLength<1> & tags.MaxLength<128>;
  timeoutMs: ShortTimeoutMs;
}
export interface CommandTarget extends TargetCommon {
  kind: 'command';
  bindings: RemoteBinding[] & tags.MinItems<1> & tags.MaxItems<3>;
  executable: Name;
  arguments: (string & tags.MaxLength<4096>)[];
  workingDirectory?: Name;
  /** Target variable name -> host variable it is copied from; nothing else of the host's environment is passed. Default: none. */
  environmentFromHost: { [name: string]: HostVariableName };
  timeoutMs: ShortTimeoutMs;
}
export interface HttpTarget extends TargetCommon {
  kind: 'http';
  bindings: RemoteBinding[] & tags.MinItems<1> & tags.MaxItems<3>;
  url: string & tags.Format<'uri'>;
  method: 'POST' | 'PUT';
  headersFromEnvironment: { [name: string]: HostVariableName };
  timeoutMs: ShortTimeoutMs;
}
export interface ExternalTarget extends TargetCommon {
  kind: 'external';
  bindings: Binding[] & tags.MinItems<1> & tags.MaxItems<4>;
  timeoutMs: LongTimeoutMs;
}
export type Target = ModuleTarget | CommandTarget | HttpTarget | ExternalTarget;

export interface ModuleTargetInput extends Omit<ModuleTarget, 'export'>, Partial<Pick<ModuleTarget, 'export'>> {}
export interface CommandTargetInput
  extends Omit<CommandTarget, 'arguments' | 'environmentFromHost'>,
    Partial<Pick<CommandTarget, 'arguments' | 'environmentFromHost'>> {}
export interface HttpTargetInput extends Omit<HttpTarget, 'headersFromEnvironment'>, Partial<Pick<HttpTarget, 'headersFromEnvironment'>> {}
export type TargetInput = ModuleTargetInput | CommandTargetInput | HttpTargetInput | ExternalTarget;

export interface TargetDocument {
  schemaVersion: 1;
  target: Target;
}
export interface TargetDocumentInput {
  schemaVersion: 1;
  target: TargetInput;
}
