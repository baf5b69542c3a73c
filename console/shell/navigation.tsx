/**
 * The links to all screens: at the side, or on a narrow screen in one line above that scrolls. A button that opens a menu
 * was rejected: it hides where one could go, and costs a step each time.
 */
import { useEffect, useRef } from 'preact/hooks';
import { heldSession } from '../api/held-session.ts';
import { signOut } from '../api/session.ts';
import { route } from './router.ts';
import { SCREEN_LIST } from './screen-list.ts';

export function Navigation() {
  const list = useRef<HTMLUListElement>(null);
  const session = heldSession.value;
  const { screen } = route.value;
  useEffect(() => {
    const current = list.current?.querySelector('[aria-current]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [screen]);
  return (
    <header class="side">
      <div class="brand">
        <span class="mark" aria-hidden="true">
          P
        </span>
        <span>Purser</span>
      </div>
      <nav aria-label="Screens">
        <ul ref={list}>
          {SCREEN_LIST.map(({ name, path, isFirst = false }) => (
            <li key={path} class={isFirst ? 'is-first' : undefined}>
              <a href={`#/${path}`} aria-current={path === screen ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="who">
        <p title="Who you are signed in as">
          <b>{session?.operator}</b> <span class="quiet">{session?.role}</span>
        </p>
        <button type="button" class="small" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}
