/**
 * Uploads of items, wherever they come from.
 *
 * An upload of any size is streamed into the stock store, where nobody sees it, and becomes visible by one fact at its
 * end, which makes it a lot: interrupted, it has added nothing; repeated, its lines are counted once. A dry run ends
 * before that fact. A line that can't be an item refuses the whole, unless such lines are to be left out. Texts that
 * orders of a gap had are not for sale, even for a moment: they enter the quarantine.
 */
import type { Hmac } from 'node:crypto';
import type { CommandOf, UploadResult } from '../../../engine/decide/command.ts';
import { NO_LOT } from '../../../engine/decide/idempotency.ts';
import { callOf } from '../../../engine/decide/keyed-calls.ts';
import { Rejection } from '../../../engine/decide/rejection.ts';
import { countOf } from '../../../engine/item-ranges.ts';
import type { Once } from '../../../engine/loop/once.ts';
import type { LotLabel } from '../../../engine/lots.ts';
import type { OperatorAct } from '../../../engine/operators.ts';
import type { StockIntake } from '../../../persistence/stock/intake/stock-intake.ts';
import type { IntakeResult } from '../../../persistence/stock/intake/stock-intake-writer.ts';
import type { StockTable } from '../../../persistence/stock/intake/table-items.ts';
import type { LookAlike, SortedOutLines } from '../../../persistence/stock/intake/upload-report.ts';
import { outstandingAmong } from '../../../persistence/stock/outstanding-texts.ts';
import { durableStockOf } from '../../../persistence/stock/product-stock.ts';
import { updateWithList } from '../../../persistence/stock/text-portions.ts';
import type { Fields } from '../../../views/operator-views.ts';
import { badRequest } from '../../errors.ts';
import { errorOfRejection } from '../../reply.ts';
import { beginDigest } from '../call-digest.ts';
import { parseLotLabel } from '../lots/lot-label.ts';
import type { OperatorContext } from '../operator-context.ts';
import type { OperatorServices } from '../operator-route.ts';
import { PRODUCT_NOT_FOUND } from '../products/products.ts';
import { type FileLook, LOOK_BYTES, lookAt } from './file-look.ts';

/** The options of an upload, from its query. */
interface UploadOptions {
  /** Whether duplicates are allowed. Undefined: as the product does. */
  readonly allowDuplicates: boolean | undefined;
  readonly isDry: boolean;
  readonly leavesOutBadLines: boolean;
  readonly label: LotLabel;
  /** The bytes are those of a table. */
  readonly table: StockTable | undefined;
}

/** The items of one request, wherever they come from. Both ways make them part of the call's digest. */
interface Upload {
  writeTo(intake: StockIntake): Promise<void>;
  /** Reads them, for nothing else. */
  pass(): Promise<void>;
  /** The likely form of the file, from the text that has come. */
  look?(): FileLook;
}

export function listed(items: readonly string[], digest: Hmac | undefined): Upload {
  const pass = async () => {
    if (digest !== undefined) await updateWithList(digest, items);
  };
  const writeTo = async (intake: StockIntake) => {
    await pass();
    await intake.writeItems(items);
  };
  return { writeTo, pass };
}

export function streamed(chunks: AsyncIterable<Uint8Array>, digest: Hmac | undefined): Upload {
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
export function receive(
  services: OperatorServices,
  context: OperatorContext,
  open: (digest: Hmac | undefined) => Upload,
  table?: StockTable,
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
  const options = { allowDuplicates, isDry, leavesOutBadLines, label: labelled.label, table };
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
    const outstanding = await outstandingAmong({ engine, stock }, productId, [range], firstItem + added);
    if (outstanding instanceof Rejection) return context.fail(errorOfRejection(outstanding));
    const late = context.lateRefusal();
    if (late !== undefined) return context.fail(late);
    const quarantined = countOf(outstanding.aside);
    const fields = { ...counts, ...(quarantined === 0 ? {} : { quarantined }) };
    const command = { kind: 'AddStock', productId, ...range, label, recalledItems, ...outstanding } as const;
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

/** The fields of the answer that say what came of the upload's lines. */
function countFields({ added, duplicates, lines, ...result }: IntakeResult): Fields {
  return { added, duplicates, ...uploadFields(result), ...(lines === undefined ? {} : badFields(lines)) };
}

/** The fields of a dry run's answer: the upload's result without the lines that can't be items. */
function dryFields({ added, lines, sample, ...result }: IntakeResult): Fields {
  return {
    wouldAdd: added,
    duplicateLineCount: lines?.duplicates.count,
    duplicateLines: lines?.duplicates.first,
    ...uploadFields(result),
    ...(lines === undefined ? {} : badFields(lines)),
    sample,
  };
}

/** There when there is something to tell. */
function uploadFields({ recalled, duplicatesOf, lookAlikes }: Partial<IntakeResult>): Fields {
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
