/** The button of an action, and the dialog that it opens. The focus comes back to it, or goes on to the screen's name. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Call } from '../../api/call-types.ts';
import { may } from '../../shell/roles.ts';
import { queryField, setQuery } from '../../shell/router.ts';

export interface OpenerProps {
  /** The name of the button, the dialog and its confirming button. */
  readonly name: string;
  /** The button is there only for roles that may make it. */
  readonly needs: Call;
  /** How it looks; default: quiet. */
  readonly look?: 'primary' | 'quiet' | 'small';
  /** In a row, which says of what: it begins with `name`. */
  readonly openerLabel?: string;
  readonly isDisabled?: boolean;
}

interface ActionOpenerProps extends OpenerProps {
  readonly dialog: (close: () => void) => ComponentChildren;
}

/** A field of the address: `#/accounts?open=New account` shows the screen with the action's dialog. */
const OPENED = 'open';

export function ActionOpener(props: ActionOpenerProps) {
  const { name, needs, look = 'quiet', openerLabel, isDisabled = false, dialog } = props;
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  // One in a row is one of many with its name.
  const isAskedFor = queryField(OPENED) === name && openerLabel === undefined;
  useEffect(() => {
    if (!isAskedFor) return;
    setQuery({ [OPENED]: '' }, 'typed');
    setOpen(true);
  }, [isAskedFor]);
  useLayoutEffect(() => () => leave(opener.current), []);
  if (!may(needs)) return null;
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={look}
        aria-label={openerLabel}
        // Not `disabled`, which would lose the focus when the action itself has disabled it.
        aria-disabled={isDisabled}
        onClick={() => setOpen(!isDisabled)}
      >
        {name}
      </button>
      {isOpen && dialog(close)}
    </>
  );
}

/** An action that is done may be none of the screen's any more. */
function leave(opener: HTMLButtonElement | null): void {
  if (opener !== null && document.activeElement === opener)
    document.querySelector<HTMLElement>('main h1')?.focus();
}
