/** A panel: a part of a screen under a name, which is its region's for screen readers. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface PanelProps {
  readonly title: ComponentChildren;
  /** After the title: a badge, a hint, a link. */
  readonly beside?: ComponentChildren;
  /** The buttons that concern all of it. */
  readonly actions?: ComponentChildren;
  /** A further class. */
  readonly look?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, beside, actions, look, children }: PanelProps) {
  const id = useId();
  return (
    <section class={look === undefined ? 'panel' : `panel ${look}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {beside}
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
