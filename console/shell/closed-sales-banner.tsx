/** The banner on every screen that says that a restored shop sells nothing, with a button for each step that opens it, in their order. */
import type { Call } from '../api/call-types.ts';
import { nodeStatus } from './pulse.ts';
import { restoreStep } from './restore-steps.ts';
import { may } from './roles.ts';
import { addressOf, goTo } from './router.ts';

interface BannerStep {
  readonly name: string;
  readonly address: string;
  /** The call for which a role needs the right, to be shown the step. */
  readonly needs?: Call;
}

const STEPS: readonly BannerStep[] = [
  { name: 'Enter what is missing', address: restoreStep('missing') },
  { name: 'Set items aside…', address: opening('Set items aside'), needs: 'POST /restore/quarantine' },
  { name: 'Look at keys, webhooks and prices', address: restoreStep('taken') },
  { name: 'Open sales…', address: opening('Open sales'), needs: 'POST /restore/open' },
];

export function ClosedSalesBanner() {
  if (nodeStatus.value?.sales !== 'closed') return null;
  return (
    <div class="banner is-waiting" role="status">
      <p>
        <b>Sales are closed.</b> The shop was restored from a backup: it sells nothing, and nobody but root
        operates, until what is missing is entered and sales are opened.
      </p>
      <div class="buttons">
        {STEPS.filter(({ needs }) => needs === undefined || may(needs)).map(({ name, address }) => (
          <button key={name} type="button" class="small" onClick={() => goTo(address)}>
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

/** The address of the screen Node with the dialog of this action. */
function opening(action: string): string {
  return addressOf('node', undefined, { open: action });
}
