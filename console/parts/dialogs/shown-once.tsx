/**
 * A secret that no other answer shows: a key, or a token. Its field can be selected where copying is not allowed. While it
 * is on view, nobody loses it by going back, and a browser asks before it reloads or closes the tab.
 */
import { useId, useLayoutEffect } from 'preact/hooks';
import { keepPlace } from '../../shell/router.ts';
import { CopyButton } from '../copy-button.tsx';

interface Shown {
  readonly label: string;
  /** Undefined when the answer that had it was lost, and the repeated call can't show it again. */
  readonly secret: string | undefined;
}

export function ShownOnce({ label, secret }: Shown) {
  if (secret !== undefined) return <Secret label={label} secret={secret} />;
  return <p>It is done, and the answer that showed the {label} was lost: nobody has it. Make a new one.</p>;
}

function Secret({ label, secret }: { readonly label: string; readonly secret: string }) {
  const id = useId();
  // With the drawing: what made it has kept the place until then.
  useLayoutEffect(() => keepPlace(`Close the dialog first: no other answer shows this ${label} again.`), []);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="secret">
        <input
          id={id}
          type="text"
          readOnly
          value={secret}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton text={secret} what={label} />
      </div>
      <p class="hint">It is shown only now: no other answer has it.</p>
    </div>
  );
}
