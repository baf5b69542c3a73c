/** The facts of a product besides its settings: its stock, and how fast it sells. */
import { counted } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import type { Product } from './product-draft.ts';
import { Cover, SaleState, Sold, Stock } from './product-figures.tsx';

export function ProductFigures({ product }: { readonly product: Product }) {
  const { createdAt } = product;
  return (
    <dl class="product-figures">
      <div>
        <dt>In stock</dt>
        <dd class="figure">
          <Stock product={product} />
        </dd>
      </div>
      <div>
        <dt>Lasts</dt>
        <dd class="figure">
          <Cover product={product} />
        </dd>
      </div>
      <div>
        <dt>Sold in a day</dt>
        <dd class="figure">
          <Sold product={product} />
        </dd>
      </div>
      <div>
        <dt>State</dt>
        <dd>
          <SaleState product={product} />
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </div>
    </dl>
  );
}

/** For those who may not change it. */
export function ProductSettings({ product }: { readonly product: Product }) {
  const { lowStock, supplierId, supplierSku, allowDuplicates, requiresRecipient } = product;
  return (
    <section class="panel" aria-labelledby="settings">
      <header>
        <h2 id="settings">Settings</h2>
      </header>
      <dl class="facts">
        <dt>Low stock</dt>
        <dd>{lowStock === undefined ? 'no alert' : `an alert below ${counted(lowStock)}`}</dd>
        <dt>Supplier</dt>
        <dd>{supplierId === undefined ? 'nobody: own stock only' : supplierId}</dd>
        {supplierSku !== undefined && (
          <>
            <dt>SKU</dt>
            <dd>{supplierSku}</dd>
          </>
        )}
        <dt>Recipient</dt>
        <dd>{requiresRecipient ? 'required' : 'not asked for'}</dd>
        <dt>Duplicates</dt>
        <dd>{allowDuplicates ? 'allowed' : 'left out of imports'}</dd>
      </dl>
    </section>
  );
}
