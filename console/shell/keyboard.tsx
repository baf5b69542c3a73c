/**
 * The console's keys: `/` to the search, `g` and a letter to a screen, `?` for the list of them, which a button opens, too,
 * for it is where they are switched off and on.
 */
import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ModalDialog } from '../parts/dialogs/modal-dialog.tsx';
import { lettersAreOn, switchLetters } from './letter-keys.ts';
import { goTo } from './router.ts';
import { SCREEN_LIST } from './screen-list.ts';

/** How long after `g` its letter counts. */
const LETTER_WITHIN_MS = 1_500;
const isHelpOpen = signal(false);

export function showKeys(): void {
  isHelpOpen.value = true;
}

let goBeganAtMs = Number.NEGATIVE_INFINITY;

/** Called once, when the page is there. */
export function listenToKeys(): void {
  addEventListener('keydown', onKey);
}

function onKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (ctrlKey || metaKey || altKey || event.defaultPrevented || !lettersAreOn.value) return;
  if (document.querySelector('dialog[open]') !== null || isTyping(target)) return;
  const isAfterGo = event.timeStamp - goBeganAtMs < LETTER_WITHIN_MS;
  goBeganAtMs = key === 'g' && !isAfterGo ? event.timeStamp : Number.NEGATIVE_INFINITY;
  const screen = isAfterGo ? SCREEN_LIST.find(({ letter }) => letter === key) : undefined;
  if (screen !== undefined) goTo(`#/${screen.path}`);
  else if (key === '/') document.querySelector<HTMLElement>('main input[type=search]')?.focus();
  else if (key === '?') showKeys();
  else return;
  event.preventDefault();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'to the search of the screen'],
  ['↑ ↓', 'through the rows of a list; also Page Up, Page Down, Home, End'],
  ['Enter', 'opens the row'],
  ['Esc', 'closes a dialog'],
  ...SCREEN_LIST.map(({ letter, name }) => [`g ${letter}`, name] as const),
  ['j k', 'To deliver: the next and the previous order'],
  ['c f', 'To deliver: Complete delivery, Fail'],
  ['?', 'this list'],
];

export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  if (!isHelpOpen.value) return null;
  const onClose = () => {
    isHelpOpen.value = false;
  };
  return (
    <ModalDialog name="Keys" dialog={dialog} onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="field is-check">
        <input
          id="letter-keys"
          type="checkbox"
          checked={lettersAreOn.value}
          aria-describedby="letter-keys-hint"
          onInput={({ currentTarget }) => switchLetters(currentTarget.checked)}
        />
        <label for="letter-keys">One-letter keys</label>
        <p class="hint" id="letter-keys-hint">
          Off: letters, / and ? do nothing by themselves, in this browser.
        </p>
      </div>
      <form method="dialog" class="buttons">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </ModalDialog>
  );
}
