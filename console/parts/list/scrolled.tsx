/** A part of a screen that scrolls by itself, by the keyboard, too: what is in it may have nothing to focus. */
import type { ComponentChildren } from 'preact';

export interface ScrolledProps {
  /** The name for screen readers; not that of the content, which would be heard twice. */
  readonly label: string;
  readonly children: ComponentChildren;
}

export function Scrolled({ label, children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that keys scroll it.
    <div class="scrolled" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
