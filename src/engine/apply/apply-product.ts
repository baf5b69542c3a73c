/** Effects of facts about products and their stock on the state. */

import { lotOfUpload } from '../lots.ts';
import { assertThat } from './broken-invariant.ts';
import { addItems, addLot, type Effects, withdrawItems } from './moves.ts';

export const productEffects = {
  ProductCreated({ products, stock, skus }, { productId, profile, atMs }) {
    skus.change(productId, undefined, profile);
    if (profile.allowDuplicates) stock.noteTexts(productId);
    products.add(productId, { productId, profile, file: null, suppliedStock: 0, createdAtMs: atMs });
  },
  ProductUpdated({ products, stock, skus }, { productId, profile, dropsSuppliedStock }) {
    const product = products.change(productId);
    if (product.profile.allowDuplicates !== profile.allowDuplicates) stock.noteTexts(productId);
    skus.change(productId, product.profile, profile);
    product.profile = profile;
    if (dropsSuppliedStock === true) product.suppliedStock = 0;
  },
  ProductFileSet({ products }, { productId, file }) {
    products.change(productId).file = file;
  },
  StockAdded(state, fact) {
    addItems(state, fact.productId, fact.firstItem, fact.count, fact.aside);
    addLot(state, lotOfUpload(fact));
  },
  StockWithdrawn(state, { productId, ranges }) {
    withdrawItems(state, productId, ranges);
  },
  LotRecalled(state, { lot, ranges }) {
    assertThat(lot.lotId <= state.lastLotId, `lot ${lot.lotId} does not exist`);
    withdrawItems(state, lot.productId, ranges);
    state.stock.recall(lot.productId, lot);
    state.lots.set(lot);
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
