/** What facts about products and their stock do to the state. */
import { assertThat } from './broken-invariant.ts';
import { addItems, type Effects, takeItems } from './moves.ts';

export const productEffects = {
  ProductCreated({ products }, { productId, profile, atMs }) {
    products.add(productId, { productId, profile, file: null, suppliedStock: 0, createdAtMs: atMs });
  },
  ProductUpdated({ products }, { productId, profile, dropsSuppliedStock }) {
    const product = products.change(productId);
    product.profile = profile;
    if (dropsSuppliedStock === true) product.suppliedStock = 0;
  },
  ProductFileSet({ products }, { productId, file }) {
    products.change(productId).file = file;
  },
  StockAdded(state, { productId, firstItem, count }) {
    addItems(state, productId, firstItem, count);
  },
  StockWithdrawn(state, { productId, firstItem, count }) {
    takeItems(state, productId, firstItem, count);
    state.stock.addWithdrawn(productId, { firstItem, count });
  },
  SupplierStockChanged({ products }, { supplierId, changes }) {
    for (const { productId, available } of changes) {
      const product = products.change(productId);
      const isIts = product.profile.source?.supplierId === supplierId;
      assertThat(isIts, `product ${productId} is not of supplier ${supplierId}`);
      product.suppliedStock = available;
    }
  },
} satisfies Partial<Effects>;
