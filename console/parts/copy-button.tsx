import { announce } from './announcer.tsx';

/**
 * A button that copies a text. The name is Copy alone: with `what` in it, it would go by the label of the field that it
 * copies.
 */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      announce(`Copied: ${what}`);
    } catch {
      // Without TLS, browsers give the clipboard to nobody but localhost.
      announce('The browser does not allow this page to copy: select the text.');
    }
  };
  return (
    <button type="button" class="small" title={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}
