/** What facts about products and their stock do to the state. */
import { assertThat } from './broken-invariant.ts';
import type {
  ProductCreated,
  ProductFileSet,
  ProductUpdated,
  StockAdded,
  StockWithdrawn,
  SupplierStockChanged,
} from './fact.ts';
import { addItems, productOf, takeItems } from './moves.ts';
import type { State } from './state.ts';

export type ProductFact = ProductCreated | ProductUpdated | ProductFileSet | StockAdded | StockWithdrawn;

export function applyProduct(state: State, fact: ProductFact): void {
  const { productId } = fact;
  switch (fact.kind) {
    case 'ProductCreated': {
      const { profile, atMs } = fact;
      assertThat(productId === state.products.nextId, `product ${productId} is not the next one`);
      state.products.add({ productId, profile, file: null, suppliedStock: 0, createdAtMs: atMs });
      break;
    }
    case 'ProductUpdated': {
      const product = productOf(state, productId);
      product.profile = fact.profile;
      if (fact.dropsSuppliedStock === true) product.suppliedStock = 0;
      break;
    }
    case 'ProductFileSet':
      productOf(state, productId).file = fact.file;
      break;
    case 'StockAdded':
      addItems(state, productId, fact.firstItem, fact.count);
      break;
    case 'StockWithdrawn':
      takeItems(state, productId, fact.firstItem, fact.count);
      state.stock.addWithdrawn(productId, { firstItem: fact.firstItem, count: fact.count });
  }
}

export function applySupplierStock(state: State, { supplierId, changes }: SupplierStockChanged): void {
  for (const { productId, available } of changes) {
    const product = productOf(state, productId);
    const isIts = product.profile.source?.supplierId === supplierId;
    assertThat(isIts, `product ${productId} is not of supplier ${supplierId}`);
    product.suppliedStock = available;
  }
}
