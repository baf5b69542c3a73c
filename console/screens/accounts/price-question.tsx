/** The price of a purchase that this account would make now, and the rule that it is by. */
import { useState } from 'preact/hooks';
import { call } from '../../api/operator-api.ts';
import { CommandLine, purser } from '../../parts/command-line.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { whole } from '../../parts/forms/field.tsx';
import { FieldControl } from '../../parts/forms/field-control.tsx';
import { counted, Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { RuleWords } from '../prices/price-words.tsx';
import { NameLink } from '../shell/known-names.tsx';

const FIELDS = [
  ['product', whole({ label: 'Product id', min: 1 })],
  ['quantity', whole({ label: 'Quantity', min: 1 })],
] as const;

interface Question {
  readonly accountId: number;
  readonly product: string;
  readonly quantity: string;
}

export function PriceQuestion({ accountId }: Pick<Question, 'accountId'>) {
  const [typed, setTyped] = useState({ product: '', quantity: '1' });
  const [asked, setAsked] = useState<Question>();
  const submit = (event: Event) => {
    event.preventDefault();
    setAsked({ accountId, ...typed });
  };
  return (
    <Panel title="What would it cost?">
      <form class="filters" onSubmit={submit}>
        {FIELDS.map(([name, field]) => (
          <FieldControl
            key={name}
            field={field}
            value={typed[name]}
            isDisabled={false}
            onText={(text) => setTyped((before) => ({ ...before, [name]: text }))}
          />
        ))}
        <button type="submit">Show price</button>
      </form>
      {asked !== undefined && <PriceAnswer {...asked} />}
      <CommandLine text={purser('price explain', [], { account: accountId, ...typed })} />
    </Panel>
  );
}

function PriceAnswer({ accountId, product, quantity }: Question) {
  const { answer, failure } = useLiveAnswer(`price ${accountId} ${product} ${quantity}`, async (signal) => {
    const query = { productId: Number(product), quantity: Number(quantity) };
    const price = await call('GET /accounts/{id}/price', { path: { id: accountId }, query, signal });
    const { rule, priceListId: id } = price;
    if (rule !== 'percent' || id === undefined) return { ...price, percent: undefined };
    const { percent } = await call('GET /price-lists/{id}', { path: { id }, query: { limit: 1 }, signal });
    return { ...price, percent };
  });
  if (failure !== undefined) return <ErrorNotice failure={failure} />;
  if (answer === undefined) return null;
  const { productId, totalUsdt, unitUsdt, rule, priceListId, percent, visible } = answer;
  return (
    <div role="status" class="answer">
      <p class="figure">
        <Money amount={totalUsdt} /> <small>USDT</small>
      </p>
      <Facts>
        <Fact name={`${counted(answer.quantity)} of`} is={<NameLink kind="product" id={productId} />} />
        <Fact name="Each" is={<Money amount={unitUsdt} />} />
        <Fact name="By">
          <RuleWords rule={rule} priceListId={priceListId} percent={percent} />
        </Fact>
        <Fact
          name="In its catalog"
          is={visible ? 'yes' : 'no: it is not on sale, or not for this account'}
          class={visible ? '' : 'is-low'}
        />
      </Facts>
    </div>
  );
}
