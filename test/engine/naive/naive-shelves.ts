/** The products of the naive shop, and the items on their shelves. */
import { type NaiveLot, NaiveProduct, type NaiveType } from './naive-order.ts';
import { NaiveWallets } from './naive-wallets.ts';

export class NaiveShelves extends NaiveWallets {
  readonly products: NaiveProduct[];
  readonly lots: NaiveLot[] = [];

  constructor(wallets: Record<number, number>, types: readonly NaiveType[], stock: number) {
    super(wallets);
    this.products = types.map((type) => new NaiveProduct(type));
    for (const [index, type] of types.entries()) if (type === 'standard') this.upload(index + 1, stock);
  }

  get recalledItems(): number {
    return this.products.reduce((sum, { recalled }) => sum + recalled.size, 0);
  }

  product(product: number): NaiveProduct | undefined {
    return this.products[product - 1];
  }

  upload(product: number, count: number): void {
    const of = this.product(product);
    if (of === undefined) return;
    const first = of.made;
    of.add(count);
    this.lots.push({ product: of, items: Array.from({ length: count }, (_, at) => first + at) });
  }

  recall(lotId: number): string {
    const lot = this.lots[lotId - 1];
    if (lot === undefined) return 'NOT_FOUND';
    const { product, items } = lot;
    product.shelf = product.shelf.filter((item) => !items.includes(item));
    for (const item of items) product.recalled.add(item);
    return 'DONE';
  }
}
