// Kits: modules of this installation that a behavior is bundled with, and that put something around it (GraphQL: tools/graphql-kit.ts and
// graphql itself; the context of a dialect), under names that say nothing of where they lie.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { JsonValue } from '../contract/json.js';
import type { BehaviorKit } from '../contract/run/dialect.js';
import type { GraphqlSettings } from '../contract/world/tool-graphql.js';

/** Where the names of each begin, and the folder that holds them. */
const folders = {
  'drillyard/': fileURLToPath(new URL('../', import.meta.url)),
  'graphql/': createRequire(import.meta.url)
    .resolve('graphql/package.json')
    .replace(/package\.json$/, ''),
};

export function graphqlKit(settings: GraphqlSettings): BehaviorKit {
  return { file: 'tools/graphql-kit.js', wrap: 'withGraphql', settings: settings as unknown as JsonValue };
}

/** Instead of the entry that a behavior has by itself: each kit gets what the one before it gives. */
export function kitEntry(kits: readonly BehaviorKit[]): string {
  const imports = kits.map(({ wrap }, index) => ` import { ${wrap} } from 'drillyard:${kitName(index)}';`);
  const wrapped = kits.reduce((behavior, { wrap, settings }) => `${wrap}(${behavior}, ${JSON.stringify(settings)})`, 'behavior');
  return `import behavior from 'drillyard:behavior';${imports.join('')} export default ${wrapped};`;
}

const kitName = (index: number): string => `kit-${index}`;

export function kitPlugin(kits: readonly BehaviorKit[]): Plugin {
  return {
    name: 'drillyard kits',
    setup({ onResolve, onLoad }) {
      const found = (path: string) => ({ path, namespace: 'kit', sideEffects: false });
      for (const [index, { file }] of kits.entries())
        onResolve({ filter: new RegExp(`^drillyard:${kitName(index)}$`), namespace: 'entry' }, () => found(`drillyard/${file}`));
      onResolve({ filter: /.*/, namespace: 'kit' }, ({ path, importer }) =>
        found(path === 'graphql' ? 'graphql/index.mjs' : posix.join(posix.dirname(importer), path)),
      );
      onLoad({ filter: /.*/, namespace: 'kit' }, ({ path }) => ({ contents: textOf(path), loader: 'js' }));
    },
  };
}

function textOf(path: string): string {
  const [prefix, folder] = Object.entries(folders).find(([name]) => path.startsWith(name)) as [string, string];
  const text = readFileSync(folder + path.slice(prefix.length), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/gm, '');
  // The realm has no process, and refuses to be asked for one.
  return text.replace(/globalThis\.process\b/g, 'undefined');
}
