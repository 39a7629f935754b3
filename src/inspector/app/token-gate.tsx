// Without the token there is nothing to show: where to find it, and a place to put it.
import { useState } from 'preact/hooks';
import { enterToken, isRefused } from './state/session.tsx';

export function TokenGate() {
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() !== '') enterToken(text);
  };
  return (
    <main class="gate">
      <form class="gate-card" onSubmit={submit}>
        <h1>Open the inspector from its link</h1>
        <p>
          The link that <code>drillyard inspect</code> prints carries a token, and this tab has none: it is a new tab, or the inspector was
          started again. Open the newest link, or paste it here.
        </p>
        {isRefused.value && (
          <p class="notice bad" role="alert">
            That token was not accepted: the inspector was started again since, or it is not whole. Take the link of the newest start.
          </p>
        )}
        <label for="token">Link or token</label>
        <div class="row">
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" class="primary">
            Open
          </button>
        </div>
        <p class="quiet">The token stays in this tab and is sent only to the server that this page came from.</p>
      </form>
    </main>
  );
}
