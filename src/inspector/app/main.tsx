// The inspector's web app, bundled into app.js: takes the token, follows the address, draws the view it names.
import '../../viewer/styles/theme.css';
import '../../viewer/styles/cards.css';
import '../../viewer/styles/timeline.css';
import './styles/frame.css';
import '../../viewer/styles/pieces.css';
import '../../viewer/styles/run.css';
import '../../viewer/styles/comparison.css';
import './styles/views.css';
import '../../viewer/styles/print.css';
import { render } from 'preact';
import { Shell } from './shell.tsx';
import { startLive } from './state/live.tsx';
import { startPlaces } from './state/places.tsx';
import { applyTheme, followAddress, route, shareToken, theme, token } from './state/session.tsx';
import { TokenGate } from './token-gate.tsx';
import { CompareView } from './views/compare-view.tsx';
import { DrillsView } from './views/drills-view.tsx';
import { NamedRun } from './views/named-run.tsx';
import { PlayView } from './views/play-view.tsx';
import { RunView } from './views/run-view.tsx';
import { RunsView } from './views/runs-view.tsx';
import { SourceView } from './views/source-view.tsx';
import { WorldView } from './views/world-view.tsx';

function App() {
  if (token.value === '') return <TokenGate />;
  // Another token is another inspector: all is asked for again.
  return (
    <Shell key={token.value}>
      <View />
    </Shell>
  );
}

function View() {
  const { view, path, query } = route.value;
  switch (view) {
    case 'world':
      return <WorldView path={path} />;
    case 'drills':
      return <DrillsView path={path} />;
    case 'runs':
      if (path[0] === undefined) return <RunsView query={query} />;
      if (!path[0].startsWith('run_')) return <NamedRun key={path[0]} name={path[0]} query={query} />;
      return <RunView key={path[0]} runId={path[0]} query={query} />;
    case 'compare':
      return <CompareView query={query} />;
    case 'play':
      return <PlayView worldId={path[0]} query={query} />;
    case 'source':
      return <SourceView path={path} query={query} />;
  }
}

applyTheme(theme.value);
startPlaces();
followAddress();
shareToken();
startLive();
render(<App />, document.getElementById('app')!);
