/** The screen of a tab without a session: a token is exchanged for one at once, and not kept. */
import { useEffect, useState } from 'preact/hooks';
import { sessionNews } from '../api/held-session.ts';
import { signIn } from '../api/session.ts';
import { CommandLine, purser } from '../parts/command-line.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';

export function SignIn() {
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<unknown>(undefined);
  const [isRunning, setRunning] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Purser';
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    setFailure(undefined);
    try {
      await signIn(token.trim());
    } catch (error) {
      setFailure(error);
      setRunning(false);
    }
  };
  return (
    <main class="sign-in" aria-busy={isRunning}>
      <p class="brand">
        <span class="mark" aria-hidden="true">
          P
        </span>
        <span>Purser</span>
      </p>
      <h1>Sign in</h1>
      {sessionNews.value !== '' && (
        <p class="notice" role="status">
          {sessionNews.value}
        </p>
      )}
      <form onSubmit={submit}>
        <div class="field">
          <label for="token">Operator token</label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={token}
            disabled={isRunning}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </div>
        {failure !== undefined && <ErrorNotice failure={failure} />}
        <div class="buttons">
          <button type="submit" class="primary" disabled={isRunning}>
            Sign in
          </button>
        </div>
      </form>
      <p class="hint">On the node’s machine no token is needed. This prints an address that works once:</p>
      <CommandLine text={purser('console')} />
    </main>
  );
}
