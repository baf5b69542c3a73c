/**
 * From an empty shop to a sold item: each step with its link, which opens the right screen with its dialog. Steps that
 * are done are seen from the shop itself, so the list is right after a reload and for whoever else opens it.
 */
import type { ComponentChildren } from 'preact';
import type { Call, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import type { NodeStatus } from '../../shell/pulse.ts';
import { may } from '../../shell/roles.ts';
import { addressOf } from '../../shell/router.ts';
import { FirstPurchase } from './first-purchase.tsx';

type Product = Schema<'Product'>;
type Account = Schema<'Account'>;

export interface Begun {
  /** The one that is sold first: of those there are, one with own stock if there is any. */
  readonly product: Product | undefined;
  readonly account: Account | undefined;
}

interface Step {
  /** As the action is called that does it. */
  readonly name: string;
  readonly needs: Call;
  /** Undefined while a step before is missing. */
  readonly href: string | undefined;
  readonly isDone: boolean;
  readonly why: string;
}

/** A new shop has few; of others the first will do. */
const LOOKED_AT = 20;

export function FirstSteps({ buyerApi }: Pick<NodeStatus, 'buyerApi'>) {
  const { answer: begun, failure } = useLiveAnswer('first steps', load);
  if (begun === undefined) return failure === undefined ? null : <ErrorNotice failure={failure} />;
  const steps = stepsOf(begun);
  const isReady = steps.every(({ isDone }) => isDone);
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section class="panel" aria-labelledby="first">
      <h2 id="first">Sell the first item</h2>
      <ol class="steps">
        {steps.map((step) => (
          <StepRow
            key={step.name}
            isDone={step.isDone}
            isNext={step === next}
            name={<StepName step={step} />}
          >
            {step.why}
          </StepRow>
        ))}
        <StepRow isDone={false} isNext={isReady} name={<b>Buy</b>}>
          Run this where the buyer API can be reached, as the buyer’s program would. With the first order this
          list goes.
        </StepRow>
      </ol>
      {isReady && <FirstPurchase {...begun} buyerApi={buyerApi} />}
    </section>
  );
}

function StepName({ step: { name, needs, href } }: { readonly step: Step }) {
  return href !== undefined && may(needs) ? <a href={href}>{name}</a> : <b>{name}</b>;
}

interface StepRowProps {
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly name: ComponentChildren;
  readonly children: ComponentChildren;
}

function StepRow({ isDone, isNext, name, children }: StepRowProps) {
  return (
    <li
      class={isDone ? 'is-done' : isNext ? 'is-next' : undefined}
      aria-current={isNext ? 'step' : undefined}
    >
      {name}
      {isDone && <span class="badge is-good">done</span>}
      <p class="hint">{children}</p>
    </li>
  );
}

function stepsOf({ product, account }: Begun): readonly Step[] {
  const ofProduct = (open: string) =>
    product === undefined ? undefined : addressOf('products', product.productId, { open });
  const ofAccount = (open: string) =>
    account === undefined ? undefined : addressOf('accounts', account.accountId, { open });
  return [
    {
      name: 'New product',
      needs: 'POST /products',
      href: addressOf('products', undefined, { open: 'New product' }),
      isDone: product !== undefined,
      why: 'What you sell, and for how much.',
    },
    {
      name: 'Import stock',
      needs: 'POST /products/{id}/stock',
      href: product === undefined || product.type === 'standard' ? ofProduct('Import stock') : ofProduct(''),
      isDone: product !== undefined && isInStock(product),
      why: 'A file with one item a line, such as codes. Each is sold once.',
    },
    {
      name: 'New account',
      needs: 'POST /accounts',
      href: addressOf('accounts', undefined, { open: 'New account' }),
      isDone: account !== undefined,
      why: 'A buyer: a prepaid wallet and an API key.',
    },
    {
      name: 'Add credit',
      needs: 'POST /accounts/{id}/credits',
      href: ofAccount('Add credit'),
      isDone: (account?.balanceUsdt ?? 0) > 0,
      why: 'Money that the buyer has paid to you.',
    },
    {
      name: 'Issue key',
      needs: 'POST /accounts/{id}/key',
      href: ofAccount('Issue key'),
      isDone: account?.keyActive === true,
      why: 'For the buyer’s program. It is shown once: copy it.',
    },
  ];
}

function isInStock({ availableStock }: Product): boolean {
  return availableStock === 'unlimited' || availableStock > 0;
}

async function load(signal: AbortSignal): Promise<Begun> {
  const query = { limit: LOOKED_AT };
  const [{ products }, { accounts }] = await Promise.all([
    call('GET /products', { query, signal }),
    call('GET /accounts', { query, signal }),
  ]);
  const onSale = products.filter(({ active }) => active);
  return {
    product:
      onSale.find((product) => product.type === 'standard' && isInStock(product)) ?? onSale[0] ?? products[0],
    account:
      accounts.find(({ keyActive, balanceUsdt }) => keyActive === true && balanceUsdt > 0) ?? accounts[0],
  };
}
