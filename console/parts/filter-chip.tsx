/** A filter that is set, as a button that takes it away. */
export function FilterChip({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }) {
  return (
    <button type="button" class="small chip" aria-label={`Remove the filter ${text}`} onClick={onRemove}>
      {text} <span aria-hidden="true">×</span>
    </button>
  );
}
