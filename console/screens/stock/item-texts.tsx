/** Texts of items, one a line, to copy or to save. */
import { useId } from 'preact/hooks';
import { save } from '../../api/download.ts';
import { CopyButton } from '../../parts/copy-button.tsx';

interface ItemTextsProps {
  readonly items: readonly string[];
  readonly fileName: string;
}

export function ItemTexts({ items, fileName }: ItemTextsProps) {
  const id = useId();
  const text = items.join('\n');
  return (
    <div class="field">
      <label for={id}>Items</label>
      <textarea id={id} readOnly rows={Math.min(12, Math.max(3, items.length))} value={text} />
      <div class="buttons">
        <CopyButton text={text} what="items" />
        <button
          type="button"
          class="small"
          onClick={() => save(new Blob([`${text}\n`], { type: 'text/plain' }), fileName)}
        >
          Save as file
        </button>
      </div>
    </div>
  );
}
