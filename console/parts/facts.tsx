/** Facts about a thing, a name and what it is in each row: how a panel tells what it shows. */
import type { ComponentChildren } from 'preact';

export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

interface FactProps {
  readonly name: ComponentChildren;
  /** One value. Undefined or false: the fact is left out. */
  readonly is?: ComponentChildren;
  readonly class?: string;
  /** In the place of one value, whatever tells it. */
  readonly children?: ComponentChildren;
}

export function Fact({ name, is, class: look, children = is }: FactProps) {
  if (children === undefined || children === false) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd class={look}>{children}</dd>
    </>
  );
}
