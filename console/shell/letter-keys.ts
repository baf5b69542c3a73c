/**
 * Whether keys without Ctrl or Alt do anything: letters, `/` and `?`. People who speak to their computer, or rest a
 * hand on the keys, can switch them off (WCAG 2.1.4). The setting is kept for this browser, not for the session: it
 * says nothing of the shop.
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
