// The repositories that pictures are taken of: a desk with runs, drills that fail in every way, one that no run was made of, one without
// anything, and one that does not compile. Each is served by an inspector of its own.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runDrills, startLocalInspector } from '../dist/src/index.js';
import { drill, moduleAgent, noteIs } from '../dist/test/drills/repository.js';
import { writeLongReport } from '../dist/test/inspector/app/long-report.js';
import { playFailures } from '../dist/test/reports/failing-drills.js';

const example = fileURLToPath(new URL('../examples/01-support-desk', import.meta.url));
export const longRun = 'run_00000000000000long';
const damagedRun = 'run_000000000000damaged';
const longEntries = 200_000;

/** By name: `{ root, runs }`, where `runs` has the ids of the attempts of each drill. */
export async function openPlaces() {
  const scratch = mkdtempSync(join(tmpdir(), 'drillyard-screenshots-'));
  const at = (name) => join(scratch, name);
  const copy = (name, from = example) => {
    cpSync(from, at(name), { recursive: true, filter: (path) => !path.endsWith('.service') || from !== example });
    return at(name);
  };

  const desk = { root: copy('desk'), runs: {} };
  const play = async (drillId) => runIds(await runDrills({ root: desk.root, drills: [drillId] }));
  for (const drillId of ['refund-lost-answer', 'sla-escalation']) desk.runs[drillId] = await play(drillId);
  desk.runs.mended = await playMended(desk.root);
  desk.runs['careless-refund'] = await play('careless-refund');
  const reports = join(desk.root, '.service/reports');
  writeLongReport(reports, { from: desk.runs['sla-escalation'][0], runId: longRun, entries: longEntries });
  desk.runs.long = [longRun];
  cpSync(join(reports, desk.runs['sla-escalation'][0]), join(reports, damagedRun), { recursive: true });
  const report = join(reports, damagedRun, 'report.json');
  writeFileSync(report, readFileSync(report, 'utf8').replaceAll(desk.runs['sla-escalation'][0], damagedRun));
  desk.runs.damaged = [damagedRun];

  const played = await playFailures();
  const failures = { root: played.repository.root, runs: {} };
  for (const [drillId, { runId }] of Object.entries(played.reports)) failures.runs[drillId] = [runId];

  failures.runs.pictured = await playPictured(played.repository);

  const fresh = { root: copy('fresh'), runs: {} };
  const broken = { root: copy('broken'), runs: {} };
  const scenario = join(broken.root, 'drillyard/scenarios/calm-day.scenario.yaml');
  writeFileSync(scenario, 'schemaVersion: 1\nidd: calm-day\nactors:\n  - id: 7\n');
  const bare = { root: at('bare'), runs: {} };
  mkdirSync(join(bare.root, 'drillyard'), { recursive: true });
  writeFileSync(join(bare.root, 'drillyard.json'), '{ "schemaVersion": 1 }\n');
  writeFileSync(join(bare.root, 'drillyard/world.yaml'), 'schemaVersion: 1\nid: bare\nvirtualTimeUs: 1772442000000000\n');

  const serve = async ({ root, runs }) => {
    const inspector = await startLocalInspector({ root });
    return { root, runs, inspector };
  };
  return {
    desk,
    failures,
    fresh,
    broken,
    bare,
    serve,
    remove: () => {
      played.repository.remove();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** The careless agent with a key for each call instead of one for each attempt: what a run that failed is compared with. */
async function playMended(root) {
  const agent = join(root, 'agents/careless-agent.mjs');
  const text = readFileSync(agent, 'utf8');
  const counted = text.replace('async function again(call, log = () => {}) {', (line) => `let asked = 0;\n${line}\n  asked += 1;`);
  writeFileSync(agent, counted.replace(/`attempt-number-.*\}`/, "'call-number-' + asked"));
  const ids = runIds(await runDrills({ root, drills: ['careless-refund'] }));
  writeFileSync(agent, text);
  return ids;
}

/** An agent that hands over an image, a log and a document before its drill fails. */
async function playPictured(repository) {
  const shot = JSON.stringify(fileURLToPath(new URL('../docs/images/report.png', import.meta.url)));
  const body = `const { readFileSync } = await import('node:fs');
    context.attach('what-it-saw.png', readFileSync(${shot}), { mediaType: 'image/png' });
    context.attach('steps.log', 'opened the notes\\nread "first"\\nchanged nothing\\n');
    context.attach('answer.json', JSON.stringify({ changed: 0 }), { mediaType: 'application/json' });
    return {};`;
  const capture = { logs: 'always', screenshots: 'always', video: 'always', files: 'always' };
  const files = { ...moduleAgent('pictured', body), ...drill('pictured', 'pictured', [noteIs('first', 'changed')], { capture }) };
  for (const [path, content] of Object.entries(files)) repository.write(path, content);
  return runIds(await runDrills({ root: repository.root, drills: ['pictured'] }));
}

function runIds({ drills }) {
  return drills.flatMap(({ trials }) => trials.flatMap(({ attempts }) => attempts.map(({ runId }) => runId)));
}
