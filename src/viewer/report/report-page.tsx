// The script of the pages that are one file: that of a report, and that over a run.
import '../styles/theme.css';
import '../styles/layout.css';
import '../styles/cards.css';
import '../styles/evidence.css';
import '../styles/timeline.css';
import '../styles/pieces.css';
import '../styles/run.css';
import '../styles/report.css';
import '../styles/print.css';
import { startCopying, startTheme } from './chrome.tsx';
import { startReport } from './report-viewer.tsx';
import { startOverview } from './run-overview.tsx';

startTheme(document.getElementById('theme'));
startCopying();
const [report, overview] = ['page-data', 'overview'].map((id) => document.getElementById(id));
if (report) startReport(report);
if (overview) startOverview(overview);
document.documentElement.classList.add('ready');
