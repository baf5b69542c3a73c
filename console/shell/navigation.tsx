/** The links to all screens; on a narrow screen behind the button Menu. */
import { useEffect, useState } from 'preact/hooks';
import { heldSession } from '../api/held-session.ts';
import { signOut } from '../api/session.ts';
import { place, route } from './router.ts';
import { SCREEN_LIST } from './screen-list.ts';

export function Navigation() {
  const [isOpen, setOpen] = useState(false);
  const session = heldSession.value;
  const { screen } = route.value;
  const here = place.value;
  useEffect(() => setOpen(false), [here]);
  return (
    <header class={isOpen ? 'side is-open' : 'side'}>
      <div class="brand">
        <span class="mark" aria-hidden="true">
          P
        </span>
        <span>Purser</span>
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </div>
      <div class="drawer" id="navigation">
        <nav aria-label="Screens">
          <ul>
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
            <b>{session?.operator}</b> <span class="role">{session?.role}</span>
          </p>
          <button type="button" class="small" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
      </div>
    </header>
  );
}
