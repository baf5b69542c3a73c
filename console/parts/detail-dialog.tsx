/** All of one row, for lists whose rows have no screen of their own. It closes by Escape, Close, or going back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export interface DetailDialogProps {
  readonly title: string;
  /** Beside Close. */
  readonly actions?: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function DetailDialog({ title, actions, onClose, children }: DetailDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  useEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // When the address closes it: only this gives the focus back to where it was.
    return () => opened?.close();
  }, []);
  return (
    <dialog ref={dialog} class="is-wide" aria-labelledby={headingId} onClose={onClose}>
      <h2 id={headingId}>{title}</h2>
      <div class="after">
        {children}
        <div class="buttons">
          {actions}
          <button type="button" class="primary" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </div>
    </dialog>
  );
}
