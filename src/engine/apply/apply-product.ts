/** Effects of facts about products and their stock on the state. */

import { lotOfUpload } from '../lots.ts';
import { keptStocks, placeOfSource } from '../products.ts';
import { assertThat } from './broken-invariant.ts';
import { addItems, addLot, type Effects, withdrawItems } from './moves.ts';

export const productEffects = {
  ProductCreated({ products, stock, skus }, { productId, profile, atMs }) {
    skus.change(productId, undefined, profile);
    if (profile.allowDuplicates) stock.noteTexts(productId);
    const sourceStocks = (profile.sources ?? []).map(() => 0);
    products.add(productId, { productId, profile, file: null, sourceStocks, createdAtMs: atMs });
  },
  ProductUpdated({ products, stock, skus }, { productId, profile }) {
    const product = products.change(productId);
    if (product.profile.allowDuplicates !== profile.allowDuplicates) stock.noteTexts(productId);
    skus.change(productId, product.profile, profile);
    product.sourceStocks = keptStocks(product, profile);
    product.profile = profile;
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
    for (const { productId, sku, available } of changes) {
      const product = products.change(productId);
      const place = placeOfSource(product.profile, { supplierId, sku });
      assertThat(place >= 0, `product ${productId} is not of supplier ${supplierId}`);
      product.sourceStocks = product.sourceStocks.with(place, available);
    }
  },
} satisfies Partial<Effects>;
