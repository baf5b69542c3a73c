/** The effect of a command in the naive shop. */
import type { Command, CommandOf } from '../../src/engine/decide/command.ts';
import type { Price } from '../../src/engine/pricing/price.ts';
import type { NaivePrice } from './naive/naive-terms.ts';
import type { NaiveAnswer, NaiveShop } from './naive-shop.ts';

const MICROS = 1e6;

/** `keptBack`: the suppliers whose circuits are open when it is decided. */
export function inNaiveWords(
  command: Command,
  keptBack: ReadonlySet<number> = new Set(),
): (shop: NaiveShop) => NaiveAnswer {
  switch (command.kind) {
    case 'PlaceOrder': {
      const { accountId, idempotencyKey, productId, quantity, expectedPriceUsdt, keySha256 } = command;
      return (shop) =>
        shop.buy(accountId, idempotencyKey, productId, quantity, expectedPriceUsdt, keySha256, keptBack);
    }
    case 'CreditWallet':
      return (shop) => shop.adjust(command.accountId, command.reference, command.amountMicros / MICROS);
    case 'OpenOrder':
      return (shop) => shop.open(command.accountId, command.productId, command.quantity);
    case 'PayOrder':
      return (shop) => shop.pay(command.orderId, keptBack);
    case 'CompleteOrder': {
      const { orderId, textCount, areTextsWritten, supplierPurchaseId } = command;
      return (shop) => {
        const isPending = shop.orders[orderId - 1]?.status === 'pending_delivery';
        if (textCount > 0 && !areTextsWritten && isPending) return 'TRANSITION_NOT_ALLOWED';
        return supplierPurchaseId === undefined
          ? shop.complete(orderId, textCount)
          : shop.end(supplierPurchaseId, textCount);
      };
    }
    case 'FailOrder': {
      const { orderId, supplierPurchaseId } = command;
      return (shop) =>
        supplierPurchaseId === undefined ? shop.fail(orderId) : shop.end(supplierPurchaseId, undefined);
    }
    case 'RefundOrder':
      return (shop) => {
        const { orderId, key, amountMicros, items } = command;
        return shop.refund(orderId, key, amountMicros && amountMicros / MICROS, items);
      };
    case 'ReplaceItems':
      return (shop) => shop.replace(command.orderId, command.key, command.items);
    case 'CaptureHold':
      return (shop) => shop.capture(command.supplierPurchaseId);
    case 'ReleaseHold':
      return (shop) => {
        const { supplierPurchaseId, code, isUnresolved, mayPass } = command;
        return shop.release(supplierPurchaseId, code, isUnresolved, mayPass === true ? keptBack : undefined);
      };
    case 'ReconcileSupplierPurchase':
      return (shop) => {
        const { supplierPurchaseId, count, result } = command;
        const isDue = shop.isReconcilable(supplierPurchaseId, result);
        if (isDue && isRecalledSince(shop, command)) return 'BAD_REQUEST';
        return shop.reconcile(supplierPurchaseId, count, result);
      };
    case 'RecordSupplierStock':
      return (shop) => recordStock(shop, command);
    default:
      return (shop) => prepare(shop, command);
  }
}

/** Every product keeps its sku, at all suppliers. */
function recordStock(shop: NaiveShop, { supplierId, changes }: CommandOf<'RecordSupplierStock'>): string {
  let isAnyNew = false;
  for (const { productId, available } of changes) {
    const product = shop.product(productId);
    if (product === undefined || !product.suppliers.includes(supplierId)) continue;
    if ((product.supplied[supplierId] ?? 0) === available) continue;
    product.supplied[supplierId] = available;
    isAnyNew = true;
  }
  return isAnyNew ? 'DONE' : 'NOT_FOUND';
}

/** After the texts of the new items were compared. */
function isRecalledSince(
  shop: NaiveShop,
  { recalledItems }: CommandOf<'AddStock' | 'ReconcileSupplierPurchase'>,
): boolean {
  return recalledItems !== undefined && recalledItems !== shop.recalledItems;
}

/** Does commands of operators that are always allowed here. */
function prepare(shop: NaiveShop, command: Command): string {
  switch (command.kind) {
    case 'AddStock': {
      const { productId, count } = command;
      if (isRecalledSince(shop, command)) return 'BAD_REQUEST';
      shop.upload(productId, count);
      return 'DONE';
    }
    case 'RecallLot':
      return shop.recall(command.lotId);
    case 'WithdrawStock':
      shop.product(command.productId)?.shelf.splice(0, command.count);
      return 'DONE';
    case 'CloseEventGroup':
      return 'DONE';
    case 'SetProductFile': {
      const product = shop.product(command.productId);
      if (product !== undefined) product.file = command.file.fileId;
      return 'DONE';
    }
    case 'IssueKey':
      shop.keys[command.accountId] = command.key.sha256;
      shop.frozen.delete(command.accountId);
      return 'DONE';
    case 'SetKeyActive':
      if (command.isActive) shop.frozen.delete(command.accountId);
      else shop.frozen.add(command.accountId);
      return 'DONE';
    case 'UpdatePriceList': {
      const { percent = null } = command.changes;
      shop.terms.percents.set(command.priceListId, percent === null ? null : percent / 100);
      return 'DONE';
    }
    case 'SetPrices': {
      const { priceListId, accountId, prices } = command;
      const owner = priceListId === undefined ? `account ${accountId}` : `list ${priceListId}`;
      for (const { productId, price } of prices)
        shop.terms.setPrice(owner, productId, price && naivePrice(price));
      return 'DONE';
    }
    case 'UpdateAccount': {
      const { accountId, changes } = command;
      const { terms } = shop;
      if (changes.priceListId === null) terms.listOf.delete(accountId);
      else if (changes.priceListId !== undefined) terms.listOf.set(accountId, changes.priceListId);
      const [limit] = changes.spendLimits ?? [];
      if (limit !== undefined) terms.limits.set(accountId, limit.amountMicros / MICROS);
      else if (changes.spendLimits !== undefined) terms.limits.delete(accountId);
      return 'DONE';
    }
    case 'UpdateProduct': {
      const product = shop.product(command.productId);
      if (product === undefined) return 'NOT_FOUND';
      const { priceMicros, active, sources } = command.changes;
      if (priceMicros !== undefined) product.price = priceMicros / MICROS;
      if (active !== undefined) product.active = active;
      setTerms(shop, command);
      if (sources === undefined) return 'DONE';
      product.type = sources.length === 0 ? 'standard' : 'supplied';
      product.suppliers = sources.map(({ supplierId }) => supplierId);
      for (const supplierId of Object.keys(product.supplied).map(Number))
        if (!product.suppliers.includes(supplierId)) delete product.supplied[supplierId];
      return 'DONE';
    }
    default:
      throw new Error(`the naive shop knows no ${command.kind}`);
  }
}

function setTerms({ terms }: NaiveShop, { productId, changes }: CommandOf<'UpdateProduct'>): void {
  const { priceMicros = 0, priceTiers, visibility, minQuantity, maxQuantity } = changes;
  if (priceTiers !== undefined) terms.tiers.set(productId, naivePrice({ priceMicros, priceTiers }).tiers);
  if (visibility === 'listed') terms.listed.add(productId);
  if (visibility === 'all') terms.listed.delete(productId);
  if (minQuantity !== undefined)
    terms.bounds.set(productId, [minQuantity, maxQuantity ?? Number.POSITIVE_INFINITY]);
}

function naivePrice({ priceMicros, priceTiers }: Price): NaivePrice {
  const tiers = priceTiers.map((tier) => ({ from: tier.minQuantity, unit: tier.priceMicros / MICROS }));
  return { unit: priceMicros / MICROS, tiers };
}
