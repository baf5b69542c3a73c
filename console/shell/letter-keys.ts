/**
 * Whether keys without Ctrl or Alt do anything: letters, `/` and `?`. Who speaks to his computer, or rests a hand on the
 * keys, can switch them off (WCAG 2.1.4). Of this browser, not of the session: it says nothing of the shop.
 */
import { signal } from '@preact/signals';

const KEY = 'purser.letter-keys';
const OFF = 'off';

export const lettersAreOn = signal(localStorage.getItem(KEY) !== OFF);

export function switchLetters(areOn: boolean): void {
  if (areOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, OFF);
  lettersAreOn.value = areOn;
}
