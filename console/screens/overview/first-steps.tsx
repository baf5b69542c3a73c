/**
 * The first steps of a shop that has not sold anything yet, each with the dialog that it begins in. They are words alone:
 * what is done already is seen on the screen that a step leads to.
 */
import type { Call } from '../../api/call-types.ts';
import { Panel } from '../../parts/panel.tsx';
import { may } from '../../shell/roles.ts';
import { addressOf } from '../../shell/router.ts';

interface Step {
  /** As the action is called that begins it. */
  readonly name: string;
  readonly needs: Call;
  readonly screen: string;
  readonly words: string;
}

const STEPS: readonly Step[] = [
  {
    name: 'New product',
    needs: 'POST /products',
    screen: 'products',
    words: 'What you sell, and for how much. Then, on its screen, Import stock: a file with one item a line.',
  },
  {
    name: 'New account',
    needs: 'POST /accounts',
    screen: 'accounts',
    words: 'A buyer with a prepaid wallet. Then, on its screen, Add credit, and Issue key for its program.',
  },
];

export function FirstSteps({ buyerPort }: { readonly buyerPort: number }) {
  return (
    <Panel title="Sell the first item">
      <ol class="steps">
        {STEPS.map(({ name, needs, screen, words }) => (
          <li key={name}>
            {may(needs) ? <a href={addressOf(screen, undefined, { open: name })}>{name}</a> : <b>{name}</b>}
            <p class="hint">{words}</p>
          </li>
        ))}
        <li>
          <b>Buy</b>
          <p class="hint">
            The buyer’s program sends <code>POST /api/v1/buyer/orders</code> with its key to port {buyerPort}.
          </p>
        </li>
      </ol>
    </Panel>
  );
}
