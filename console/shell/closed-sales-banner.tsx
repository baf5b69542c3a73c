/** Says on every screen that a restored shop sells nothing, with the way to the steps that open it. */
import { nodeStatus } from './pulse.ts';
import { may } from './roles.ts';
import { addressOf, goTo } from './router.ts';

export function ClosedSalesBanner() {
  if (nodeStatus.value?.sales !== 'closed') return null;
  const node = addressOf('node');
  return (
    <div class="banner is-waiting" role="status">
      <p>
        <b>Sales are closed.</b> The shop was restored from a backup: it sells nothing, and nobody but root
        operates, until what is missing is entered and sales are opened.
      </p>
      <div class="buttons">
        <button type="button" class="small" onClick={() => goTo(node)}>
          What to do
        </button>
        {may('POST /restore/open') && (
          <button type="button" class="small" onClick={() => goTo(`${node}?open=Open%20sales`)}>
            Open sales…
          </button>
        )}
      </div>
    </div>
  );
}
