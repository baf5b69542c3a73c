/** The facts of a product besides its settings: its stock, and how fast it sells. */
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted, Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { type Product, sourceWords } from './product-draft.ts';
import { Cover, SaleState, Sold, Stock } from './product-figures.tsx';

export function ProductFigures({ product }: { readonly product: Product }) {
  const figures = [
    ['In stock', <Stock product={product} />, 'figure'],
    ['Lasts', <Cover product={product} />, 'figure'],
    ['Sold in a day', <Sold product={product} />, 'figure'],
    ['State', <SaleState product={product} />],
    ['Created', <Time at={product.createdAt} />],
  ] as const;
  return (
    <dl class="product-figures">
      {figures.map(([name, figure, look]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={look}>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

/** For those who may not change it. */
export function ProductSettings({ product }: { readonly product: Product }) {
  const { description, instructions, priceUsdt, priceTiers, lowStock, sources = [], maxQuantity } = product;
  return (
    <Panel title="Settings">
      <Facts>
        <Fact name="Type" is={product.type} />
        <Fact name="Price in USDT" is={<Money amount={priceUsdt} />} />
        {priceTiers.map((tier) => (
          <Fact
            key={tier.minQuantity}
            name={`From ${counted(tier.minQuantity)}`}
            is={<Money amount={tier.priceUsdt} />}
          />
        ))}
        <Fact name="Description" is={description !== '' && description} class="prose" />
        <Fact name="Instructions" is={instructions !== '' && instructions} class="prose" />
        <Fact
          name="Low stock"
          is={lowStock === undefined ? 'no alert' : `an alert below ${counted(lowStock)}`}
        />
        <Fact name="Sources" is={sources.length === 0 ? 'nobody: own stock only' : sourceWords(sources)} />
        <Fact name="SKU" is={product.sku ?? undefined} />
        <Fact name="Category" is={product.category ?? undefined} />
        {Object.entries(product.attributes).map(([name, is]) => (
          <Fact key={`attribute ${name}`} name={name} is={is} />
        ))}
        <Fact name="Picture" is={product.imageUrl ?? undefined} />
        <Fact
          name="Seen by"
          is={
            product.visibility === 'all' ? 'all accounts' : 'accounts whose own prices or price list name it'
          }
        />
        <Fact
          name="In an order"
          is={`${counted(product.minQuantity)} ${maxQuantity === null ? 'or more' : `to ${counted(maxQuantity)}`}`}
        />
        <Fact name="Recipient" is={product.requiresRecipient ? 'required' : 'not asked for'} />
        <Fact name="Duplicates" is={product.allowDuplicates ? 'allowed' : 'left out of imports'} />
      </Facts>
    </Panel>
  );
}
