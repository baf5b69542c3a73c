/** The news of what has just been done, said to screen readers and shown for a while. */
import { signal } from '@preact/signals';

const SHOWN_MS = 6_000;
const said = signal('');
/** Dialogs that are open. While there is one, nothing outside of it is read out. */
const openDialogs = signal(0);
let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(text: string): void {
  clearTimeout(timer);
  said.value = text;
  timer = setTimeout(() => {
    said.value = '';
  }, SHOWN_MS);
}

/** The dialog that opens has a region of its own. Returns what is to be called when it is gone. */
export function coverAnnouncer(): () => void {
  openDialogs.value += 1;
  return () => {
    openDialogs.value -= 1;
  };
}

/**
 * The region of the news, once in the page and in each dialog. The region is always there, for one that appears with
 * its text is not read out.
 */
export function Announcer({ isInDialog = false }: { readonly isInDialog?: boolean }) {
  const text = isInDialog || openDialogs.value === 0 ? said.value : '';
  return (
    <div class={text === '' ? 'announcer' : 'announcer is-saying'} role="status" aria-live="polite">
      {text}
    </div>
  );
}
