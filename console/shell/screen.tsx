/**
 * The common parts of every screen: its `h1`, the title of the tab, the zone of its times, and the actions that concern
 * all of it.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ZoneOfTimes } from '../parts/time.tsx';
import { place } from './router.ts';

export interface ScreenProps {
  readonly title: string;
  /** Beside the title: of what a detail is. */
  readonly lead?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** A screen that is one list has the height of the window, and the list scrolls in it. */
  readonly isList?: boolean;
  readonly children: ComponentChildren;
}

/** The place that was shown last, so that a screen knows whether somebody came to it by a link. */
let shownPlace: string | undefined;

export function Screen({ title, lead, actions, isList = false, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const here = place.value;
  useEffect(() => {
    document.title = `${title} · Purser`;
  }, [title]);
  // Before anything is drawn, so that the next key goes from there.
  useLayoutEffect(() => {
    if (shownPlace !== undefined && shownPlace !== here) {
      scrollTo(0, 0);
      heading.current?.focus();
    }
    shownPlace = here;
  }, [here]);
  return (
    <div class={isList ? 'screen is-list' : 'screen'}>
      <header class="top">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead !== undefined && <div class="lead">{lead}</div>}
        <ZoneOfTimes />
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
