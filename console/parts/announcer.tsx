/** What has just been done, said to screen readers and shown for a while. */
import { signal } from '@preact/signals';

const SHOWN_MS = 6_000;
const said = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  clearTimeout(timer);
  said.value = text;
  timer = setTimeout(() => {
    said.value = '';
  }, SHOWN_MS);
}

/** Once in the page. It is always there, for a region that appears with its text is not read out. */
export function Announcer() {
  return (
    <div class={said.value === '' ? 'announcer' : 'announcer is-saying'} role="status" aria-live="polite">
      {said.value}
    </div>
  );
}
