/** A short piece of a system's line, as the charts draw it. */
import type { Look } from '../charts/palette.ts';
import { html, type Markup } from '../markup.ts';

export function sample({ colour, width, dash }: Look): Markup {
  return html`<svg class="sample" width="28" height="10" aria-hidden="true"><line x1="1" x2="27" y1="5" y2="5" stroke="${colour}" stroke-width="${width}" stroke-dasharray="${dash ?? 'none'}"/></svg>`;
}
