// Starts the parts of the page. Each fills its own section; one that fails leaves the plain HTML and the other parts as they are.
import { startDrawer } from './entry-drawer.mjs';
import { fillEvidence } from './evidence-around.mjs';
import { startJournal } from './journal.mjs';
import { colorValues, startContents, startCopying, startTheme } from './page-chrome.mjs';
import { startStateChanges } from './state-changes.mjs';
import { startTimeline } from './timeline.mjs';

const parts = [
  () => startTheme(document.getElementById('theme')),
  startCopying,
  colorValues,
  fillEvidence,
  () => startTimeline(document.getElementById('timeline')),
  () => startStateChanges(document.getElementById('state')),
  () => startJournal(document.getElementById('journal')),
  startContents,
  startDrawer,
];
for (const start of parts) {
  try {
    start();
  } catch (error) {
    console.error(error);
  }
}
document.documentElement.classList.add('ready');
