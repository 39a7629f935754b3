// The environment of a command target: its bindings under their names, the target's aliases and the compatible prefixes, and the host
// variables it names. Nothing else: not even PATH.
import type { BindingVariable, CommandTarget } from '../../contract/target.js';
import type { Access } from '../bindings-port.js';

export interface EnvironmentOptions {
  target: Pick<CommandTarget, 'bindingEnvironment' | 'environmentFromHost'>;
  access: Pick<Access, 'endpoints'>;
  /** `OTHER`: OTHER_HTTP_URL beside SERVICE_HTTP_URL. */
  prefixes: readonly string[];
  host: { readonly [name: string]: string | undefined };
}

export function commandEnvironment({ target, access, prefixes, host }: EnvironmentOptions): { [name: string]: string } {
  const environment: { [name: string]: string } = {};
  for (const [name, from] of Object.entries(target.environmentFromHost)) {
    const value = host[from];
    if (value !== undefined) environment[name] = value;
  }
  const variables = bindingVariables(access);
  for (const [name, value] of Object.entries(variables)) {
    environment[name] = value;
    for (const prefix of prefixes) environment[name.replace(/^SERVICE/, prefix)] = value;
  }
  for (const [alias, variable] of Object.entries(target.bindingEnvironment ?? {})) {
    const value = variables[variable];
    if (value !== undefined) environment[alias] = value;
  }
  return environment;
}

function bindingVariables({ endpoints }: Pick<Access, 'endpoints'>): { [variable in BindingVariable]?: string } {
  const variables: { [variable in BindingVariable]?: string } = {};
  for (const binding of ['http', 'mcp', 'cli'] as const) {
    const endpoint = endpoints[binding];
    if (endpoint === undefined) continue;
    const name = binding.toUpperCase() as Uppercase<typeof binding>;
    variables[`SERVICE_${name}_URL`] = endpoint.url;
    variables[`SERVICE_${name}_TOKEN`] = endpoint.token;
  }
  return variables;
}
