// The build that a new server begins with: the example that ships, compiled and made a build of one project.
// Idempotent, through a crash as well: content is addressed by what it is, and of equal builds of a project there is one.
import { exampleFolder } from '../compiler/shipped.js';
import { putBuild } from './builds/build-records.js';
import { keepAndVerify } from './builds/build-runner.js';
import type { ControlServices } from './core/services.js';

export async function publishExampleBuild(
  services: ControlServices,
  { organizationId, projectId }: { organizationId: string; projectId: string },
): Promise<{ buildHash: string }> {
  const { catalog, compiler, nowMs } = services;
  const { compiled, diagnostics } = await compiler.compile({ root: exampleFolder() });
  if (compiled === undefined) throw new Error(`the example that ships does not compile: ${JSON.stringify(diagnostics)}`);
  const content = await keepAndVerify(services, compiled);
  const build = await catalog.change((tx) =>
    putBuild(tx, { organizationId, projectId, summary: compiled.summary, content, nowMs: nowMs() }),
  );
  return { buildHash: build.buildHash };
}
