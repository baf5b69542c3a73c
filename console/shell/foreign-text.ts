/**
 * Texts of others in the page: a name or an item may be written from right to left, or have signs that turn what stands
 * beside it. Whatever is drawn passes here, so no screen can forget one: a text with such letters or signs is put into an
 * element that keeps their effect inside (`bdi`). So in a sentence such a text is a child of its own, and not in a template.
 *
 * Rejected: to take the signs out of what the node answers. Whoever edits a name would then save another one. And a
 * component for each text of others: there are a hundred places, and the one that was missed is the one that is used.
 */
import { type ComponentChildren, Fragment, h, options, type VNode } from 'preact';

/** Hebrew, Arabic and their neighbours, and all signs that say in which direction to write. */
const TURNS =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Elements that have text alone, and are drawn apart. */
const TEXT_ALONE: readonly unknown[] = ['bdi', 'option', 'textarea', 'title', 'text', 'style'];

/** Called once, before anything is drawn. */
export function isolateForeignTexts(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    isolate(vnode);
    before?.(vnode);
  };
}

function isolate({ type, props }: VNode): void {
  if (type === Fragment || (typeof type === 'string' && !TEXT_ALONE.includes(type)))
    props.children = isolated(props.children);
}

function isolated(child: ComponentChildren): ComponentChildren {
  if (typeof child === 'string') return TURNS.test(child) ? h('bdi', null, child) : child;
  if (!Array.isArray(child)) return child;
  const children = child.map(isolated);
  // The same array, where it can be: what is drawn again is compared.
  return children.some((one, at) => one !== child[at]) ? children : child;
}
