/** `/products`: what the chat's account may buy, at its own prices, in pages. */
import { Composer, InlineKeyboard } from 'grammy';
import { accountOf, type BotContext, say, show } from '../context.ts';
import type { Page, Price, Product } from '../shop/shop.ts';
import { fill, type Texts } from '../texts/text.ts';

const PAGE = 8;
/** The name of a product on its button is cut there. */
const MOST_OF_BUTTON = 40;

type Priced = Product & Price;

export function products(): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const first = async (ctx: BotContext) => list(ctx, await pageOf(ctx, undefined), say);
  composer.command('products', first);
  composer.callbackQuery('menu:products', first);
  composer.callbackQuery(/^products:(.+)$/, async (ctx) => list(ctx, await pageOf(ctx, ctx.match[1]), show));
  return composer;
}

/** Pages of which the account sees nothing are passed over. */
async function pageOf(ctx: BotContext, cursor: string | undefined): Promise<Page<Priced>> {
  const { shop } = ctx;
  const { accountId } = await accountOf(ctx);
  for (let after = cursor; ; ) {
    const { rows, ...next } = await shop.products(after, PAGE);
    const priced = await Promise.all(
      rows
        .filter(({ active }) => active)
        .map(async (product) => ({ ...product, ...(await shop.price(accountId, product.productId, 1)) })),
    );
    const seen = priced.filter((each): each is Priced => each.visible === true);
    if (seen.length > 0 || next.nextCursor === undefined) return { rows: seen, ...next };
    after = next.nextCursor;
  }
}

async function list(ctx: BotContext, { rows, nextCursor }: Page<Priced>, tell: typeof say): Promise<void> {
  const { texts } = ctx;
  if (rows.length === 0) return tell(ctx, fill(texts.productsNone));
  const buttons = new InlineKeyboard();
  for (const { productId, name } of rows)
    buttons.text(Array.from(name).slice(0, MOST_OF_BUTTON).join(''), `buy:${productId}`).row();
  if (nextCursor !== undefined) buttons.text(texts.more, `products:${nextCursor}`);
  const lines = rows.map((product) => lineOf(texts, product));
  await tell(ctx, [texts.productsTitle, ...lines, '', texts.productsHow].join('\n'), buttons);
}

function lineOf(texts: Texts, { productId, name, totalUsdt, availableStock }: Priced): string {
  return fill(texts.product, { productId, name, price: totalUsdt, stock: stockText(texts, availableStock) });
}

function stockText(texts: Texts, stock: Product['availableStock']): string {
  if (stock === 'unlimited') return texts.stockUnlimited;
  return stock === 0 ? texts.stockNone : fill(texts.stock, { stock });
}
