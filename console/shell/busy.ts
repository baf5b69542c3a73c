/** Whether something that is on view is asked for the first time: `main` is `aria-busy` then. */
import { computed, signal } from '@preact/signals';

const count = signal(0);

export const isBusy = computed(() => count.value > 0);

/** Returns what ends it, which may be called more than once. */
export function beginBusy(): () => void {
  let isOver = false;
  count.value += 1;
  return () => {
    if (isOver) return;
    isOver = true;
    count.value -= 1;
  };
}
