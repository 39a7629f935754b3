// TypeScript declarations of tools, made from their manifests: for the behavior itself (`defineToolBehavior<NotesTool>`) and for tests of
// it. The same manifests give the same text.
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import { commentOf, memberName, SchemaTypes, typeName } from './schema-types.js';

/** `known`: every tool of the repository, for the events of others that a tool is subscribed to. */
export function toolDeclarations(manifests: readonly ToolManifest[], known: readonly ToolManifest[]): string {
  const made = manifests.map(({ id, version }) => `${id} ${version}`).join(', ');
  const head = `// Made by 'drillyard tool types' from the manifest of ${made}. Do not edit: change the manifest, and make it again.\n`;
  return [head, ...manifests.map((manifest) => declarationsOf(manifest, known))].join('\n');
}

function declarationsOf(manifest: ToolManifest, known: readonly ToolManifest[]): string {
  const name = typeName(manifest.id);
  const types = new SchemaTypes(name);
  const part = (title: string, lines: readonly string[]): string => `  ${title}: {${lines.length === 0 ? '' : `\n${lines.join('')}  `}};\n`;
  const entry = (id: string, description: unknown, type: string): string =>
    `${commentOf(description, '    ')}    ${memberName(id)}: ${type};\n`;
  const body = [
    part(
      'state',
      manifest.state.map(({ namespace, description, schema }) => entry(namespace, description, types.objectTypeOf(schema, '    '))),
    ),
    part(
      'events',
      manifest.events.map(({ id, description, payloadSchema }) => entry(id, description, types.objectTypeOf(payloadSchema, '    '))),
    ),
    part(
      'operations',
      manifest.operations.map(({ id, description, inputSchema, outputSchema }) => {
        const [input, output] = [inputSchema, outputSchema].map((schema) => types.typeOf(schema, '      '));
        return entry(id, description, `{\n      input: ${input};\n      output: ${output};\n    }`);
      }),
    ),
    part(
      'errors',
      manifest.operations.map(({ id, declaredErrors = [] }) =>
        entry(id, undefined, declaredErrors.map(({ code }) => JSON.stringify(code)).join(' | ') || 'never'),
      ),
    ),
    part(
      'subscriptions',
      manifest.subscriptions.map(({ id, event }) => {
        const payload = known
          .find((tool) => tool.id === event.packageId)
          ?.events.find((declared) => declared.id === event.eventId)?.payloadSchema;
        return entry(id, undefined, types.objectTypeOf(payload ?? true, '    '));
      }),
    ),
  ];
  const description = manifest.description ?? manifest.title;
  return [
    `${commentOf(description, '')}export interface ${name}Tool {\n${body.join('')}}\n`,
    ...types.declarations().map((line) => `${line}\n`),
  ].join('\n');
}
