/**
 * All of one row, for lists whose rows have no screen of their own. The dialog closes by Escape, Close, or going back.
 */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { ModalDialog } from './modal-dialog.tsx';

export interface DetailDialogProps {
  readonly title: string;
  /** Beside Close. */
  readonly actions?: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function DetailDialog({ title, actions, onClose, children }: DetailDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <ModalDialog name={title} dialog={dialog} isWide onClose={onClose}>
      <div class="after">
        {children}
        <div class="buttons">
          {actions}
          <button type="button" class="primary" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </div>
    </ModalDialog>
  );
}
