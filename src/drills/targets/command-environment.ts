// The environment of a target: its bindings under their names, the target's aliases and the compatible prefixes; of a command the host
// variables it names too. Nothing else: not even PATH.
import { defined } from '../../contract/defined.js';
import type { BindingVariable, CommandTarget, Target } from '../../contract/run/target.js';
import type { TargetInvocation } from '../../contract/run/target-invocation.js';
import { mountVariable } from '../../contract/world/wire-mounts.js';
import type { Access } from '../ports/bindings-port.js';

export interface EnvironmentOptions {
  target: Pick<Target, 'bindingEnvironment'>;
  access: Pick<Access, 'endpoints'>;
  /** `OTHER`: OTHER_HTTP_URL beside SERVICE_HTTP_URL. */
  prefixes: readonly string[];
}

/** What an invocation says of the bindings: no tokens. */
export function bindingUrls(endpoints: Access['endpoints']): TargetInvocation['bindings'] {
  const places: TargetInvocation['bindings'] = {};
  for (const binding of ['http', 'mcp', 'cli'] as const) {
    const endpoint = endpoints[binding];
    if (endpoint !== undefined) places[binding] = { url: endpoint.url, ...defined({ mounts: endpoint.mounts }) };
  }
  return places;
}

/** What every kind of target learns of its bindings. */
export function bindingEnvironment({ target, access, prefixes }: EnvironmentOptions): { [name: string]: string } {
  const variables = bindingVariables(access);
  const environment = underPrefixes(variables, prefixes);
  for (const [alias, variable] of Object.entries(target.bindingEnvironment ?? {})) {
    const value = variables[variable];
    if (value !== undefined) environment[alias] = value;
  }
  return environment;
}

export function underPrefixes(variables: { readonly [name: string]: string }, prefixes: readonly string[]): { [name: string]: string } {
  const environment: { [name: string]: string } = { ...variables };
  for (const [name, value] of Object.entries(variables)) {
    for (const prefix of prefixes) environment[name.replace(/^SERVICE/, prefix)] = value;
  }
  return environment;
}

/** Host variables that are not set are left out. */
export function hostEnvironment(
  { environmentFromHost }: Pick<CommandTarget, 'environmentFromHost'>,
  host: { readonly [name: string]: string | undefined },
): { [name: string]: string } {
  const environment: { [name: string]: string } = {};
  for (const [name, from] of Object.entries(environmentFromHost)) {
    const value = host[from];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/** A second mount whose variable has the same name has none. */
function bindingVariables({ endpoints }: Pick<Access, 'endpoints'>): { [variable in BindingVariable]: string } {
  const variables = {} as { [variable in BindingVariable]: string };
  for (const binding of ['http', 'mcp', 'cli'] as const) {
    const endpoint = endpoints[binding];
    if (endpoint === undefined) continue;
    const name = binding.toUpperCase() as Uppercase<typeof binding>;
    variables[`SERVICE_${name}_URL`] = endpoint.url;
    variables[`SERVICE_${name}_TOKEN`] = endpoint.token;
    if (endpoint.keyId !== undefined) variables.SERVICE_HTTP_KEY_ID = endpoint.keyId;
    for (const [mount, { url }] of Object.entries(endpoint.mounts ?? {})) variables[mountVariable(mount)] ??= url;
  }
  return variables;
}

/** The host variables that a command asks for and this machine does not have. */
export function unsetVariables({ environmentFromHost }: Pick<CommandTarget, 'environmentFromHost'>, host: NodeJS.ProcessEnv): string[] {
  return [...new Set(Object.values(environmentFromHost))].filter((name) => host[name] === undefined);
}
