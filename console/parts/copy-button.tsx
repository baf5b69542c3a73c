import { announce } from './announcer.tsx';

/** `what` is in the button's name: `Copy API key`. */
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
    <button type="button" class="small" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      Copy
    </button>
  );
}
