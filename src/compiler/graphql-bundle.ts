// The modules that a behavior with a GraphQL schema is bundled with: our kit (tools/graphql-kit.ts) and graphql itself, both of this
// installation, under names that say nothing of where they lie.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { GraphqlSettings } from '../contract/world/tool-graphql.js';

/** Where the names of each begin, and the folder that holds them. */
const folders = {
  'drillyard/': fileURLToPath(new URL('../', import.meta.url)),
  'graphql/': createRequire(import.meta.url)
    .resolve('graphql/package.json')
    .replace(/package\.json$/, ''),
};

/** Instead of the entry that a behavior has by itself. */
export function kitEntry(settings: GraphqlSettings): string {
  return `import behavior from 'drillyard:behavior'; import { withGraphql } from 'drillyard:graphql'; export default withGraphql(behavior, ${JSON.stringify(settings)});`;
}

export function kitPlugin(): Plugin {
  return {
    name: 'drillyard graphql',
    setup({ onResolve, onLoad }) {
      const found = (path: string) => ({ path, namespace: 'kit', sideEffects: false });
      onResolve({ filter: /^drillyard:graphql$/, namespace: 'entry' }, () => found('drillyard/tools/graphql-kit.js'));
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
