/** A file of any size, chosen or dropped: only its name and its size are read here. */
import { useId, useRef, useState } from 'preact/hooks';
import { sizeText } from '../size.ts';

interface DropFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** As in HTML; empty for any file. */
  readonly accept?: string;
  readonly file?: File | undefined;
  readonly isDisabled: boolean;
  readonly onFile?: (file: File | undefined) => void;
}

export function DropField({ label, hint, accept, file, isDisabled, onFile }: DropFieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const { files } = event.dataTransfer ?? {};
    if (isDisabled || files === undefined || files.length === 0) return;
    // So that the field itself has it, and knows that it is not empty.
    if (input.current !== null) input.current.files = files;
    onFile?.(files[0]);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(!isDisabled);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field inside does the same by keyboard. */}
      <div
        class={isOver ? 'drop is-over' : 'drop'}
        onDragEnter={over}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          ref={input}
          id={id}
          type="file"
          required
          accept={accept}
          disabled={isDisabled}
          aria-describedby={hintId}
          onInput={({ currentTarget }) => onFile?.(currentTarget.files?.[0])}
        />
        <p class="hint" id={hintId}>
          {file === undefined ? `Or drop it here. ${hint ?? ''}` : sizeText(file.size)}
        </p>
      </div>
    </div>
  );
}
