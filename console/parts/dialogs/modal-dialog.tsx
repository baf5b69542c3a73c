/**
 * A dialog over the page: it bears its name, and nothing outside of it can be reached while it is open. Closing it gives
 * the focus back to where it was.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Announcer, coverAnnouncer } from '../announcer.tsx';

export interface ModalDialogProps {
  readonly name: string;
  /** The dialog's element, for the code that closes it. */
  readonly dialog: RefObject<HTMLDialogElement | null>;
  readonly isWide?: boolean;
  /** Instead of closing it on Escape. */
  readonly onEscape?: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function ModalDialog({ name, dialog, isWide, onEscape, onClose, children }: ModalDialogProps) {
  const headingId = useId();
  const isGone = useRef(false);
  // With the drawing: what somebody types at once belongs to it.
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => {
      isGone.current = true;
      // When it is taken away: only this gives the focus back to where it was.
      opened?.close();
    };
  }, []);
  useEffect(coverAnnouncer, []);
  const hold = useRef(onEscape);
  hold.current = onEscape;
  // A browser closes a dialog on the second Escape, whatever its `cancel` is told: so the key doesn't get there.
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isOnTop = [...document.querySelectorAll('dialog[open]')].at(-1) === dialog.current;
      if (event.key !== 'Escape' || hold.current === undefined || !isOnTop) return;
      event.preventDefault();
      hold.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const onCancel = (event: Event) => {
    if (onEscape === undefined) return;
    event.preventDefault();
    onEscape();
  };
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'is-wide' : undefined}
      aria-labelledby={headingId}
      onCancel={onCancel}
      onClose={() => isGone.current || onClose()}
    >
      <h2 id={headingId}>{name}</h2>
      {children}
      <Announcer isInDialog />
    </dialog>
  );
}
