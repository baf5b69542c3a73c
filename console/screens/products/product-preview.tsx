/** The product as buyers see it: as a card, and as their programs get it from `GET /products`. */
import { counted, Money } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { type Draft, type Product, type Tier, tiersOf } from './product-draft.ts';

interface CatalogEntry {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly type: string;
  readonly priceUsdt: number;
  readonly priceTiers: readonly Tier[];
  readonly availableStock: Product['availableStock'];
  readonly requiresRecipient: boolean;
  readonly active: boolean;
}

/** `draft` is what would be saved; the rest of the product stays. */
export function ProductPreview({ product, draft }: { readonly product: Product; readonly draft: Draft }) {
  const entry = catalogEntry(product, draft);
  const hidden = hiddenBecause(product, draft);
  return (
    <section class="panel preview" aria-labelledby="preview">
      <header>
        <h2 id="preview">What buyers see</h2>
      </header>
      {hidden === undefined ? <Card entry={entry} /> : <p class="notice is-waiting">{hidden}</p>}
      <details>
        <summary>As their programs get it</summary>
        <pre class="json">{JSON.stringify(entry, null, 2)}</pre>
      </details>
    </section>
  );
}

function Card({ entry }: { readonly entry: CatalogEntry }) {
  const { name, description, instructions, type, priceUsdt, availableStock, requiresRecipient } = entry;
  return (
    <div class="card">
      <h3>{name}</h3>
      <p class="figure">
        {Number.isNaN(priceUsdt) ? '…' : <Money amount={priceUsdt} />} <small>USDT</small>
      </p>
      <p class="badges">
        <StatusBadge status={type} /> <StatusBadge status={stockWords(availableStock)} />
        {requiresRecipient && <StatusBadge status="needs a recipient" />}
      </p>
      {description !== '' && <p class="prose">{description}</p>}
      <Tiers tiers={entry.priceTiers} />
      {instructions !== '' && (
        <div>
          <h4>How to use it</h4>
          <p class="prose">{instructions}</p>
        </div>
      )}
    </div>
  );
}

function Tiers({ tiers }: { readonly tiers: readonly Tier[] }) {
  if (tiers.length === 0) return null;
  return (
    <table class="plain tiers">
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col" class="at-end">
            USDT each
          </th>
        </tr>
      </thead>
      <tbody>
        {tiers.map(({ minQuantity, priceUsdt }, index) => (
          <tr key={index}>
            <td>{Number.isNaN(minQuantity) ? '…' : minQuantity}</td>
            <td class="at-end">{Number.isNaN(priceUsdt) ? '…' : <Money amount={priceUsdt} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The fields and their order are those of the buyers' API. */
function catalogEntry({ productId, availableStock }: Product, draft: Draft): CatalogEntry {
  const { name, description, instructions, type, price, tiers, requiresRecipient, active } = draft;
  return {
    id: productId,
    name,
    description,
    instructions,
    type,
    priceUsdt: price.trim() === '' ? Number.NaN : Number(price),
    priceTiers: tiersOf(tiers),
    availableStock,
    requiresRecipient: requiresRecipient !== '',
    active: active !== '',
  };
}

function hiddenBecause({ file }: Product, { active, type }: Draft): string | undefined {
  if (active === '') return 'Nothing: it is not active.';
  if (type === 'file' && file === undefined) return 'Nothing, until it has a file.';
  return undefined;
}

function stockWords(stock: Product['availableStock']): string {
  if (stock === 'unlimited') return 'always there';
  return stock === 0 ? 'sold out' : `${counted(stock)} in stock`;
}
