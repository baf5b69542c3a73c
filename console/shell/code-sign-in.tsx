/**
 * The sign-in by a code in the address: the tab tells whose session it has now, or asks whether the code shall take the
 * place of the one there is.
 */
import { useRef, useState } from 'preact/hooks';
import { heldSession } from '../api/held-session.ts';
import { isNewByCode, offeredCode, signInByCode, signOut } from '../api/session.ts';
import { ModalDialog } from '../parts/dialogs/modal-dialog.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';

export function CodeSignIn() {
  const code = offeredCode.value;
  if (code !== undefined) return <Offer key={code} code={code} />;
  return isNewByCode.value ? <SignedIn /> : null;
}

function SignedIn() {
  const { operator, role } = heldSession.value ?? {};
  return (
    <div class="banner is-news" role="status">
      <p>
        The code of the address has signed you in as <b>{operator}</b> ({role}). If that is not you, sign out.
      </p>
      <div class="buttons">
        <button type="button" class="small" onClick={() => void signOut()}>
          Not me: sign out
        </button>
        <button
          type="button"
          class="small"
          onClick={() => {
            isNewByCode.value = false;
          }}
        >
          That is me
        </button>
      </div>
    </div>
  );
}

const NAME = 'Sign in by the code';

function Offer({ code }: { readonly code: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [failure, setFailure] = useState<unknown>(undefined);
  const [isRunning, setRunning] = useState(false);
  const close = () => {
    offeredCode.value = undefined;
  };
  const exchange = async () => {
    if (isRunning) return;
    setRunning(true);
    try {
      await signInByCode(code);
      close();
    } catch (error) {
      setFailure(error);
      setRunning(false);
    }
  };
  return (
    <ModalDialog name={NAME} dialog={dialog} onClose={close}>
      <div class="after">
        <p>
          The address has a code of somebody: of you, if you have printed it with <code>purser console</code>.
          You are signed in as <b>{heldSession.value?.operator}</b>, and stay so unless you take the code.
        </p>
        {failure !== undefined && <ErrorNotice failure={failure} />}
        <div class="buttons">
          {/* The first, so that Enter stays. */}
          <button type="button" onClick={() => dialog.current?.close()}>
            Stay
          </button>
          <button type="button" class="primary" disabled={isRunning} onClick={() => void exchange()}>
            {NAME}
          </button>
        </div>
      </div>
    </ModalDialog>
  );
}
