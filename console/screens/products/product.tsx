/** One product: what is left of it, its file, its form, its lots. */
import { useState } from 'preact/hooks';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { may } from '../../shell/roles.ts';
import { addressOf, queryId } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { LotPanel } from '../stock/lot.tsx';
import { ImportStock } from '../stock/stock-import.tsx';
import { ShowWithdrawn, WithdrawStock } from '../stock/stock-withdrawal.tsx';
import { ProductFigures, ProductSettings } from './product-facts.tsx';
import { FilePanel } from './product-file.tsx';
import { ProductForm } from './product-form.tsx';
import { type LoadedProduct, loadProduct } from './product-loaded.ts';
import { ProductLots } from './product-lots.tsx';

export function ProductScreen({ id }: { readonly id: number }) {
  // Of another product nothing stays that was typed.
  return <OneProduct key={id} id={id} />;
}

function OneProduct({ id }: { readonly id: number }) {
  const { loaded, failure, setSaved } = useProduct(id);
  const lotId = queryId('lot');
  const product = loaded?.product;
  return (
    <Screen
      title={`Product ${id}`}
      lead={product?.name}
      actions={product !== undefined && <Actions product={product} />}
    >
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {loaded !== undefined && product !== undefined && (
        <>
          <ProductFigures product={product} />
          {lotId !== undefined && <LotPanel productId={id} lotId={lotId} />}
          {product.type === 'file' && <FilePanel product={product} />}
          {may('PATCH /products/{id}') ? (
            <ProductForm live={loaded} onSaved={setSaved} />
          ) : (
            <ProductSettings product={product} />
          )}
          {product.type === 'standard' && <ProductLots productId={id} />}
        </>
      )}
    </Screen>
  );
}

function Actions({ product }: { readonly product: LoadedProduct['product'] }) {
  const { productId: id, type } = product;
  return (
    <>
      <a class="button" href={addressOf('orders', undefined, { productId: id })}>
        Orders of this product
      </a>
      {type === 'standard' && (
        <>
          <ShowWithdrawn productId={id} />
          <WithdrawStock product={product} />
          <ImportStock productId={id} />
        </>
      )}
    </>
  );
}

/** The product. A saved state is shown until the node has been asked again. */
function useProduct(id: number) {
  const { answer, failure } = useLiveAnswer(`product ${id}`, (signal) => loadProduct(id, signal));
  const [saved, setSaved] = useState<{
    readonly instead: LoadedProduct | undefined;
    readonly is: LoadedProduct;
  }>();
  return {
    loaded: saved !== undefined && saved.instead === answer ? saved.is : answer,
    failure,
    setSaved: (is: LoadedProduct) => setSaved({ instead: answer, is }),
  };
}
