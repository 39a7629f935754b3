// What pictures are taken of. A shot is a place of the app, and what is done there first; `at` gets the runs of its repository by drill.
// The five states of every view: normal, empty, loading, failing, disconnected.

/** @typedef {import('playwright-core').Page} Page */

const failed = ({ runs }) => runs['careless-refund'][0];
const views = ['world', 'drills', 'runs', 'compare', 'play', 'source'];

const desk = [
  ['world-tools', '#/world/tools/payments'],
  ['world-actors', '#/world/actors'],
  ['world-scenarios', '#/world/scenarios/rough-day'],
  ['world-no-diagnostics', '#/world/diagnostics'],
  ['drills', '#/drills'],
  ['drill', '#/drills/refund-lost-answer'],
  ['drill-two-requests', '#/drills/careless-refund', twoRequests],
  ['suite', '#/drills/suite:default'],
  ['runs', '#/runs'],
  ['runs-failed', '#/runs?verdict=failed'],
  ['runs-of-a-drill', '#/runs?drill=refund-lost-answer'],
  ['run-failed', (place) => `#/runs/${failed(place)}`],
  ['run-evidence', (place) => `#/runs/${failed(place)}`, whatStandsAround],
  ['run-entry-call', (place) => `#/runs/${failed(place)}?seq=8`],
  ['run-entry-change', (place) => `#/runs/${failed(place)}?seq=14&assertion=exactly-what-was-asked-for`],
  ['run-entry-fault', (place) => `#/runs/${failed(place)}?seq=16`],
  ['run-state', (place) => `#/runs/${failed(place)}?seq=23`, (page) => page.keyboard.press('s')],
  ['run-journal-search', (place) => `#/runs/${failed(place)}?q=refund`],
  ['run-assertions', (place) => `#/runs/${failed(place)}?part=assertions`],
  ['run-interactions', (place) => `#/runs/${failed(place)}?part=interactions`],
  ['run-world', (place) => `#/runs/${failed(place)}?part=world`],
  ['run-setup', (place) => `#/runs/${failed(place)}?part=setup`],
  ['run-share', (place) => `#/runs/${failed(place)}`, (page) => page.getByText('Share', { exact: true }).click()],
  ['run-save-as-drill', (place) => `#/runs/${failed(place)}`, saveAsDrill],
  ['run-passed', ({ runs }) => `#/runs/${runs['refund-lost-answer'][1]}`],
  ['run-eight-hours', ({ runs }) => `#/runs/${runs['sla-escalation'][0]}`],
  ['run-long', ({ runs }) => `#/runs/${runs.long[0]}?seq=150000`],
  ['compare', ({ runs }) => `#/compare?left=${runs['careless-refund'][0]}&right=${runs.mended[0]}`],
  ['compare-drills', ({ runs }) => `#/compare?left=${runs['careless-refund'][0]}&right=${runs['refund-lost-answer'][0]}`],
  ['compare-equal', ({ runs }) => `#/compare?left=${runs['refund-lost-answer'][0]}&right=${runs['refund-lost-answer'][1]}`],
  ['compare-other', ({ runs }) => `#/compare?left=${runs['careless-refund'][0]}&right=${runs['sla-escalation'][0]}`],
  ['play', '#/play', startWorld],
  ['play-world', '#/play', playedWorld],
  ['play-forked', '#/play', forkedWorld],
  ['source', '#/source/payments'],
  ['source-found', '#/source?find=balanceOf'],
  ['palette', '#/runs', (page) => page.keyboard.press('Control+k')],
  ['help', '#/runs', (page) => page.keyboard.press('?')],
];
const failures = [
  ['run-invariant', ({ runs }) => `#/runs/${runs.invariant[0]}`],
  ['run-invariant-assertions', ({ runs }) => `#/runs/${runs.invariant[0]}?part=assertions`],
  ['run-crash', ({ runs }) => `#/runs/${runs.crash[0]}`],
  ['run-crash-interactions', ({ runs }) => `#/runs/${runs.crash[0]}?part=interactions`],
  ['run-attachments', ({ runs }) => `#/runs/${runs.pictured[0]}?part=attachments`],
  ['run-without-attachments', ({ runs }) => `#/runs/${runs.crash[0]}?part=attachments`],
  ['run-budget', ({ runs }) => `#/runs/${runs.budget[0]}`],
  ['run-timeout', ({ runs }) => `#/runs/${runs.timeout[0]}`],
  ['run-tool', ({ runs }) => `#/runs/${runs.tool[0]}`],
  ['run-fault', ({ runs }) => `#/runs/${runs.fault[0]}`],
  ['runs-of-failures', '#/runs'],
];
const reports = [
  ['report-failed', 'careless-refund'],
  ['report-passed', 'refund-lost-answer'],
  ['report-eight-hours', 'sla-escalation'],
  ['report-print', 'careless-refund', (page) => page.emulateMedia({ media: 'print' })],
];
const reportsOfFailures = [
  ['report-crash', 'crash'],
  ['report-invariant', 'invariant'],
];

/** Each group has one repository, and one way in which it is looked at. */
export const groups = [
  { place: 'desk', state: 'normal', shots: desk },
  { place: 'failures', state: 'normal', shots: failures },
  { place: 'desk', state: 'report', shots: reports },
  { place: 'failures', state: 'report', shots: reportsOfFailures },
  {
    place: 'fresh',
    state: 'empty',
    shots: [
      ...views.map((view) => [view, `#/${view}`]),
      ['runs-none-fits', '#/runs?verdict=failed'],
      ['drill', '#/drills/careless-refund'],
    ],
  },
  {
    place: 'desk',
    state: 'empty',
    shots: [
      ['journal-none-fits', (place) => `#/runs/${failed(place)}?q=nosuchthing`],
      ['attachments', (place) => `#/runs/${failed(place)}?part=attachments`],
    ],
  },
  { place: 'bare', state: 'empty', shots: views.map((view) => [`bare-${view}`, `#/${view}`]) },
  {
    place: 'desk',
    state: 'loading',
    shots: [...views.map((view) => [view, `#/${view}`]), ['run', (place) => `#/runs/${failed(place)}`]],
  },
  {
    place: 'desk',
    state: 'refused',
    shots: [...views.map((view) => [view, `#/${view}`]), ['run', (place) => `#/runs/${failed(place)}`]],
  },
  {
    place: 'desk',
    state: 'failing',
    shots: [
      ['no-such-run', '#/runs/run_nosuchrun0000'],
      ['damaged-run', ({ runs }) => `#/runs/${runs.damaged[0]}`],
      ['no-such-drill', '#/drills/carless-refund'],
      ['no-such-world', '#/play/world_nosuchworld'],
      ['no-such-source', '#/source/nosuch'],
      ['compare-no-such-run', '#/compare?left=run_x&right=run_y'],
      ['token-refused', '#/runs', refusedToken],
    ],
  },
  {
    place: 'broken',
    state: 'failing',
    shots: [...views.map((view) => [`broken-${view}`, `#/${view}`]), ['broken-run', '#/drills', runTheFirst]],
  },
  {
    place: 'desk',
    state: 'disconnected',
    shots: [
      ...views.map((view) => [view, `#/${view}`]),
      ['drill', '#/drills/refund-lost-answer'],
      ['run', (place) => `#/runs/${failed(place)}?seq=14`],
      ['play-world', '#/play', playedWorld],
    ],
  },
];

/** Those in docs/images, of the desk, as they are seen without scrolling. */
export const docPictures = [
  {
    file: 'inspector-run',
    at: (place) => `#/runs/${failed(place)}?seq=16`,
    width: 1280,
    height: 860,
  },
  { file: 'inspector-timeline', at: ({ runs }) => `#/runs/${runs['sla-escalation'][0]}?seq=5`, width: 1440, height: 820 },
  {
    file: 'inspector-compare',
    at: ({ runs }) => `#/compare?left=${runs['careless-refund'][0]}&right=${runs.mended[0]}`,
    width: 1280,
    height: 760,
  },
  { file: 'inspector-play', at: '#/play', act: playedWorld, width: 1280, height: 860 },
  { file: 'inspector-phone', at: (place) => `#/runs/${failed(place)}`, width: 390, height: 844, theme: 'dark' },
  { file: 'report', state: 'report', at: 'careless-refund', width: 1240, height: 1060 },
];

/** @param {Page} page */
async function twoRequests(page) {
  for (const number of [1, 2]) {
    const request = page.getByRole('region', { name: `Run request ${number}, finished` });
    if ((await request.count()) === 0) await page.getByRole('button', { name: 'Run', exact: true }).click();
    await request.waitFor({ timeout: 60_000 });
  }
}

/** @param {Page} page */
async function whatStandsAround(page) {
  await page.getByRole('button', { name: 'What stands around' }).first().click();
  await page.locator('.excerpt-lines').waitFor();
}

/** @param {Page} page */
async function saveAsDrill(page) {
  await page.getByRole('button', { name: 'Save as drill' }).click();
  await page.getByRole('dialog').getByText('+id:').first().waitFor();
}

/** @param {Page} page */
async function startWorld(page) {
  if ((await page.getByRole('button', { name: /^End / }).count()) > 0) return;
  await page.getByRole('button', { name: 'Start a world' }).click();
  await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Play', exact: true }).first().click();
  await page.getByRole('button', { name: /^End / }).waitFor();
}

/** @param {Page} page */
async function playedWorld(page) {
  await page.getByLabel('It starts from').selectOption('scenario:rough-day');
  await page.getByRole('button', { name: 'Start a world' }).click();
  await page.getByLabel('Calls').selectOption('payments.charge.list');
  await page.getByLabel('With').fill('{"limit": 2}');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.locator('.answer').waitFor();
  await page.getByRole('complementary', { name: /^Entry / }).waitFor();
}

/** @param {Page} page */
async function forkedWorld(page) {
  await playedWorld(page);
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await page.getByRole('heading', { name: /forked at #/ }).waitFor();
}

/** @param {Page} page */
async function refusedToken(page) {
  await page.evaluate('sessionStorage.clear()');
  await page.reload();
  await page.getByLabel('Link or token').fill('insp_wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
}

/** @param {Page} page */
async function runTheFirst(page) {
  const run = page.getByRole('button', { name: 'Run', exact: true });
  if ((await run.count()) > 0) await run.first().click();
}
