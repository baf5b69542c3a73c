/** All fields of a fact, as the feed tells them. */
import { CopyButton } from '../parts/copy-button.tsx';
import { DetailDialog } from '../parts/detail-dialog.tsx';
import { Time } from '../parts/time.tsx';
import { AboutLinks } from './about-links.tsx';
import { aboutOf, type Fact } from './fact.ts';

export function FactDialog({ fact, onClose }: { readonly fact: Fact; readonly onClose: () => void }) {
  const { seq, at, epoch, type, ...rest } = fact;
  const about = aboutOf(fact);
  const text = JSON.stringify(rest, null, 2);
  return (
    <DetailDialog
      title={`${type} ${seq}`}
      actions={<CopyButton text={JSON.stringify(fact)} what="fact" />}
      onClose={onClose}
    >
      <dl class="facts">
        <dt>When</dt>
        <dd>
          <Time at={at} />
        </dd>
        <dt>Epoch</dt>
        <dd>{epoch}</dd>
        {Object.values(about).some((id) => id !== undefined) && (
          <>
            <dt>About</dt>
            <dd>
              <AboutLinks about={about} />
            </dd>
          </>
        )}
      </dl>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long ones scroll, also by keyboard. */}
      <pre class="fields" tabIndex={0} role="group" aria-label="Fields">
        {text}
      </pre>
    </DetailDialog>
  );
}
