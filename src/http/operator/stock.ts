/**
 * Stock: POST and DELETE /products/{id}/stock, and GET /products/{id}/stock/withdrawn.
 *
 * An upload of any size is streamed into the stock store, where nobody sees it, and becomes visible by one
 * fact at its end, which makes it a lot: interrupted, it has added nothing; repeated, its lines are counted once. A dry
 * run ends before that fact. A line that can't be an item refuses the whole, unless such lines are to be left out. What a withdrawal gave can be read again, for its answer may get lost: whoever sees the texts
 * is on record before. What orders of a gap had is not for sale, even for a moment: it enters the quarantine.
 */
import type { Hmac } from 'node:crypto';
import type { CommandOf, UploadResult } from '../../engine/command.ts';
import type { Once } from '../../engine/engine.ts';
import { NO_LOT } from '../../engine/idempotency.ts';
import { countOf, highestOf, type ItemRange } from '../../engine/item-ranges.ts';
import { callOf } from '../../engine/keyed-calls.ts';
import type { LotLabel } from '../../engine/lots.ts';
import type { OperatorAct } from '../../engine/operators.ts';
import { Rejection } from '../../engine/rejection.ts';
import type { StockIntake } from '../../persistence/stock/intake/stock-intake.ts';
import type { IntakeResult } from '../../persistence/stock/intake/stock-intake-writer.ts';
import type { LookAlike, SortedOutLines } from '../../persistence/stock/intake/upload-report.ts';
import { owedAmong } from '../../persistence/stock/owed-texts.ts';
import { durableStockOf } from '../../persistence/stock/product-stock.ts';
import type { StockStore } from '../../persistence/stock/stock-store.ts';
import type { Fields } from '../../views/operator-views.ts';
import { badRequest } from '../errors.ts';
import { isJsonContentType } from '../json-body.ts';
import { errorOfRejection } from '../reply.ts';
import { beginDigest, digestOf } from './call-digest.ts';
import { type FileLook, LOOK_BYTES, lookAt } from './file-look.ts';
import { LOT_QUERY, parseLotLabel } from './lot-label.ts';
import { ADD_STOCK, LIST_WITHDRAWN, WITHDRAW_STOCK } from './operations/stock.ts';
import { MAX_ITEMS_BODY_BYTES, operatorBody } from './operator-body.ts';
import {
  deleteRoute,
  type OperatorContext,
  type OperatorRoute,
  type OperatorServices,
  operatorRoute,
  PAGE_QUERY,
  REASON_QUERY,
} from './operator-route.ts';
import { type Page, parseInteger } from './page.ts';
import { PRODUCT_NOT_FOUND } from './products.ts';
import { STOCK } from './roles.ts';
import { UPLOAD_IDLE_TIMEOUT_MS } from './upload.ts';

/** With items of the greatest length this is an answer of 160 MB. */
const MAX_WITHDRAWAL = 10_000;

const TWO_REASONS = badRequest('reason is in the query and in the body: send it once.');
const STOCK_ITEMS = {
  items: { type: 'array', items: { type: 'string' }, description: 'One text for each item.' },
} as const;

/** What an upload may say in its query. */
interface UploadOptions {
  /** Undefined: as the product does. */
  readonly allowDuplicates: boolean | undefined;
  readonly isDry: boolean;
  readonly leavesOutBadLines: boolean;
  readonly label: LotLabel;
}

/** The items of one request, wherever they come from. Both ways make them part of the call's digest. */
interface Upload {
  writeTo(intake: StockIntake): Promise<void>;
  /** Reads them, for nothing else. */
  pass(): Promise<void>;
  /** What its lines look like, of text that has come. */
  look?(): FileLook;
}

export function stockRoutes(services: OperatorServices): OperatorRoute[] {
  const { stock, keyedHash } = services;
  const stockItems = operatorBody(STOCK_ITEMS, ['items'], MAX_ITEMS_BODY_BYTES);
  return [
    operatorRoute(
      'POST /products/{id}/stock',
      ADD_STOCK,
      (context) => {
        const contentType = context.request.header('content-type');
        if (isJsonContentType(contentType)) {
          context.readJson(stockItems, ({ items, reason }) => {
            if (reason !== undefined && context.reason !== undefined) return context.fail(TWO_REASONS);
            context.reason ??= reason;
            receive(services, context, (digest) => listed(items, digest));
          });
          return;
        }
        // Asked for even when it is not wanted: the transport bounds how much of such a body it reads.
        const body = context.request.streamBody(UPLOAD_IDLE_TIMEOUT_MS);
        if (contentType !== undefined && /^text\/plain\s*(;|$)/i.test(contentType)) {
          receive(services, context, (digest) => streamed(body, digest));
        } else {
          context.fail(badRequest('The Content-Type must be text/plain or application/json.'));
        }
      },
      {
        roles: STOCK,
        query: ['allowDuplicates', 'dryRun', 'leaveOutBadLines', ...LOT_QUERY, ...REASON_QUERY],
        body: stockItems,
      },
    ),
    deleteRoute(
      'DELETE /products/{id}/stock',
      WITHDRAW_STOCK,
      STOCK,
      (context) => {
        const productId = context.id;
        const count = parseInteger(context.query.get('count') ?? '');
        if (!Number.isInteger(count) || count < 1 || count > MAX_WITHDRAWAL) {
          return context.fail(badRequest(`count must be from 1 to ${MAX_WITHDRAWAL}.`));
        }
        if (!context.takeKey(() => digestOf(keyedHash, context.called, {}))) return;
        context.submitOnce({ kind: 'WithdrawStock', productId, count }, ({ result, isRepeated }) => {
          const { ranges, availableStock } = result;
          // They are no higher than the last of them.
          const end = ranges.reduce(
            (last, { firstItem, count: size }) => Math.max(last, firstItem + size),
            0,
          );
          const show = (repeated: Fields) => {
            const items = stock.itemsOf(productId, ranges, end);
            context.succeedInSlices(200, {
              productId,
              withdrawn: countOf(ranges),
              items,
              availableStock,
              ...repeated,
            });
          };
          if (!isRepeated) return show({});
          context.run(async () => {
            await context.record({ action: 'WithdrawnTextsShown', productId });
            show({ repeated: true });
          });
        });
      },
      ['count'],
    ),
    operatorRoute(
      'GET /products/{id}/stock/withdrawn',
      LIST_WITHDRAWN,
      (context) =>
        context.withPage((page) => context.run(() => showWithdrawn(services, context, page)), MAX_WITHDRAWAL),
      { roles: STOCK, query: PAGE_QUERY },
    ),
  ];
}

/** The last ones come first. What was recalled is left out: it can't be added again. */
async function showWithdrawn(
  { engine, stock }: OperatorServices,
  context: OperatorContext,
  { after, limit }: Page,
): Promise<void> {
  const productId = context.id;
  const { state } = engine;
  if (state.products.get(productId) === undefined) return context.failWhenDurable(PRODUCT_NOT_FOUND);
  const before = after === 0 ? Number.MAX_SAFE_INTEGER : after;
  const shelf = state.stock;
  const { end } = shelf.of(productId);
  const ranges = highestOf(shelf.givenBack(productId), shelf.recalled(productId), before, limit + 1);
  await context.record({ action: 'WithdrawnTextsShown', productId });
  const shown = Array.from(itemsFromTheLast(ranges));
  const nextCursor = shown.length > limit ? { nextCursor: String(shown[limit - 1]) } : {};
  const items = textsOfItems(stock, productId, shown.slice(0, limit), end);
  context.succeedInSlices(200, { productId, items, ...nextCursor });
}

function* itemsFromTheLast(ranges: readonly ItemRange[]): Generator<number> {
  for (const { firstItem, count } of ranges) {
    for (let item = firstItem + count - 1; item >= firstItem; item -= 1) yield item;
  }
}

function* textsOfItems(
  stock: StockStore,
  productId: number,
  items: readonly number[],
  end: number,
): Generator<Fields> {
  const texts = stock.itemsOf(
    productId,
    items.map((item) => ({ firstItem: item, count: 1 })),
    end,
  );
  let place = 0;
  for (const text of texts) {
    yield { item: items[place], text };
    place += 1;
  }
}

function listed(items: readonly string[], digest: Hmac | undefined): Upload {
  digest?.update(JSON.stringify(items));
  return { writeTo: (intake) => intake.writeItems(items), pass: async () => {} };
}

function streamed(chunks: AsyncIterable<Uint8Array>, digest: Hmac | undefined): Upload {
  let beginning = Buffer.alloc(0);
  const look = (chunk: Uint8Array) => {
    if (beginning.length < LOOK_BYTES)
      beginning = Buffer.concat([beginning, chunk.subarray(0, LOOK_BYTES - beginning.length)]);
  };
  const each = async (take: (chunk: Uint8Array) => void | Promise<void>) => {
    for await (const chunk of chunks) {
      digest?.update(chunk);
      look(chunk);
      await take(chunk);
    }
  };
  return {
    writeTo: (intake) => each((chunk) => intake.writeText(chunk)),
    pass: () => each(() => {}),
    look: () => lookAt(beginning),
  };
}

/** A refusal leaves at once, whatever is still to come: of that the transport reads a little, and then closes. */
function receive(
  services: OperatorServices,
  context: OperatorContext,
  open: (digest: Hmac | undefined) => Upload,
): void {
  const product = services.engine.state.products.get(context.id);
  if (product === undefined) return context.fail(PRODUCT_NOT_FOUND);
  const { type } = product.profile;
  if (type !== 'standard')
    return context.fail(badRequest(`A product of type ${type} has no stock of items.`));
  const isSaid = context.query.has('allowDuplicates');
  const said = context.flag('allowDuplicates', product.profile.allowDuplicates);
  const isDry = context.flag('dryRun', false);
  const leavesOutBadLines = context.flag('leaveOutBadLines', false);
  const labelled = parseLotLabel(context.query);
  if ('error' in labelled) return context.fail(labelled.error);
  if (said === undefined || isDry === undefined || leavesOutBadLines === undefined) return;
  const allowDuplicates = isSaid ? said : undefined;
  const options = { allowDuplicates, isDry, leavesOutBadLines, label: labelled.label };
  const isKeyed = context.idempotencyKey !== undefined && !isDry;
  const digest = isKeyed ? beginDigest(services.keyedHash, context.called) : undefined;
  if (digest !== undefined && !context.takeKey(() => digest.digest('hex'))) return;
  context.runUpload(takeIn(services, context, open(digest), options));
}

async function takeIn(
  { engine, history, stock }: OperatorServices,
  context: OperatorContext,
  upload: Upload,
  { isDry, label, ...options }: UploadOptions,
): Promise<void> {
  const productId = context.id;
  const readStock = () => durableStockOf(engine, productId);
  const intake = await stock.beginIntake({ productId, isDry, ...options, readStock });
  try {
    // The one before has ended by now, and may have been the same call.
    const { idempotencyKey: key, caller } = context;
    if (!isDry && key !== undefined && callOf(engine.state, history, caller.operatorId, key) !== undefined) {
      await upload.pass();
      const refusal = context.lateRefusal();
      if (refusal !== undefined) return context.fail(refusal);
      // It is answered by its key, and comes to no decision.
      return await add(context, productId, { kind: 'AddStock', productId, firstItem: 0, count: 0 }, {});
    }
    await upload.writeTo(intake);
    const result = await intake.finish();
    const refusal = context.lateRefusal();
    if (refusal !== undefined) return context.fail(refusal);
    if (isDry)
      return context.succeedWhenDurable(200, { productId, ...dryFields(result), ...upload.look?.() });
    const { firstItem, added } = result;
    const counts = countFields(result);
    if (added === 0) {
      const availableStock = engine.state.stock.available(productId);
      // With a key it is a fact all the same, or the key would not be known.
      const act = { kind: 'RecordAct', act: { action: 'NothingAdded', productId } } as const;
      const nothing = { lotId: NO_LOT, availableStock };
      if (key !== undefined) return await add(context, productId, act, counts, nothing);
      return context.succeedWhenDurable(201, { productId, ...counts, availableStock });
    }
    const { recalledItems } = intake;
    const range = { firstItem, count: added };
    const owed = await owedAmong({ engine, stock }, productId, [range], firstItem + added);
    if (owed instanceof Rejection) return context.fail(errorOfRejection(owed));
    const late = context.lateRefusal();
    if (late !== undefined) return context.fail(late);
    const quarantined = countOf(owed.aside);
    const fields = { ...counts, ...(quarantined === 0 ? {} : { quarantined }) };
    const command = { kind: 'AddStock', productId, ...range, label, recalledItems, ...owed } as const;
    await add(context, productId, command, fields);
  } finally {
    intake.close();
  }
}

/**
 * `counts` are what the answer says beside what is in stock, which `nothing` has when nothing is added. Resolves when it has
 * left.
 */
function add(
  context: OperatorContext,
  productId: number,
  command: CommandOf<'AddStock' | 'RecordAct'>,
  counts: Fields,
  nothing?: UploadResult,
): Promise<void> {
  const answer = (once: Once<UploadResult | OperatorAct>) => {
    const { lotId, availableStock } =
      (once.isRepeated ? undefined : nothing) ?? (once.result as UploadResult);
    const lot = lotId === NO_LOT ? {} : { lotId };
    context.succeedOnce(once, { productId, ...(once.said ?? counts), ...lot, availableStock });
  };
  return new Promise<void>((resolve) => context.submitOnce(command, answer, counts, resolve));
}

/** What came of the upload's lines. */
function countFields({ added, duplicates, lines, ...result }: IntakeResult): Fields {
  return { added, duplicates, ...toldFields(result), ...(lines === undefined ? {} : badFields(lines)) };
}

/** What would come of the upload, without the lines that can't be items. */
function dryFields({ added, lines, sample, ...result }: IntakeResult): Fields {
  return {
    wouldAdd: added,
    duplicateLineCount: lines?.duplicates.count,
    duplicateLines: lines?.duplicates.first,
    ...toldFields(result),
    ...(lines === undefined ? {} : badFields(lines)),
    sample,
  };
}

/** There when there is something to tell. */
function toldFields({ recalled, duplicatesOf, lookAlikes }: Partial<IntakeResult>): Fields {
  return {
    ...(recalled === undefined ? {} : { recalled }),
    ...(duplicatesOf === undefined
      ? {}
      : {
          duplicatesOf: duplicatesOf.map(({ of: productId, count, lines }) => ({ productId, count, lines })),
        }),
    ...(lookAlikes === undefined
      ? {}
      : { lookAlikeCount: lookAlikes.count, lookAlikes: lookAlikes.first.map(lookAlikeFields) }),
  };
}

function lookAlikeFields({ isAdded, ...lookAlike }: LookAlike): Fields {
  return { ...lookAlike, added: isAdded };
}

function badFields({ bad, badFor }: SortedOutLines): Fields {
  const badLineReasons = badFor.map(({ of: reason, count, lines }) => ({ reason, count, lines }));
  return { badLineCount: bad.count, badLines: bad.first, badLineReasons };
}
