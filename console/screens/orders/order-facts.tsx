/** The facts of an order: its buyer and product, its price, and its refunds. */
import { CopyButton } from '../../parts/copy-button.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted, Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { RuleWords } from '../prices/price-words.tsx';
import { NameLink } from '../shell/known-names.tsx';
import type { OrderAnswer } from './order-money.tsx';

interface FactsProps {
  readonly order: OrderAnswer;
}

export function SalePanel({ order }: FactsProps) {
  const { accountId, productId, quantity, recipientUsername, createdAt } = order;
  return (
    <Panel title="Sale">
      <Facts>
        <Fact name="Account" is={<NameLink kind="account" id={accountId} />} />
        <Fact name="Product" is={<NameLink kind="product" id={productId} />} />
        <Fact name="Quantity" is={counted(quantity)} />
        <Fact name="For" is={recipientUsername} />
        <Fact name="When" is={<Time at={createdAt} />} />
      </Facts>
    </Panel>
  );
}

export function MoneyPanel({ order }: FactsProps) {
  const { totalPriceUsdt, refundedUsdt = 0, balanceAfterUsdt, status, priceRule } = order;
  const isPaid = status !== 'processing';
  return (
    <Panel title="Money">
      <p class="figure">
        <Money amount={totalPriceUsdt} /> <small>USDT</small>
      </p>
      <Facts>
        <Fact name="Priced by">
          {priceRule !== undefined && <RuleWords rule={priceRule} priceListId={order.priceListId} />}
        </Fact>
        <Fact name="Refunded" is={refundedUsdt > 0 && <Money amount={refundedUsdt} />} />
        <Fact name={isPaid ? 'Wallet after it' : 'Wallet'} is={<Money amount={balanceAfterUsdt} />} />
        <Fact name="Paid" is={!isPaid && 'not yet: the price is that of the payment'} />
      </Facts>
    </Panel>
  );
}

export function RequestPanel({ order: { idempotencyKey, purchaseRequestId } }: FactsProps) {
  return (
    <Panel title="Request">
      {idempotencyKey === undefined && purchaseRequestId === undefined && (
        <p class="hint">It was opened by an operator, not bought by the API.</p>
      )}
      {idempotencyKey !== undefined && <Handle name="Idempotency key" text={idempotencyKey} />}
      {purchaseRequestId !== undefined && <Handle name="Request id" text={purchaseRequestId} />}
    </Panel>
  );
}

/** A name by which a buyer knows the order, to copy. */
function Handle({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div class="handle">
      <div>
        <span class="hint">{name}</span>
        <code>{text}</code>
      </div>
      <CopyButton text={text} what={name} />
    </div>
  );
}
