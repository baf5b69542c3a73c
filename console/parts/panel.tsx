/** A panel: a part of a screen under a name, which is its region's for screen readers. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface PanelProps {
  readonly title: ComponentChildren;
  /** Beside the title: a badge, a hint, actions. */
  readonly beside?: ComponentChildren;
  /** Further classes. */
  readonly look?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, beside, look = '', children }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${look}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {beside}
      </header>
      {children}
    </section>
  );
}
