/**
 * POST /products/import: products from a table, found by their sku.
 *
 * All lines are read and decided first, by the engine's own decisions, of which none is carried out; with an error nothing
 * changes, unless bad lines are left out. Then each changed product becomes a command and a fact of its own, a few at a
 * time, so that others have their turns. Invariant: a line is carried out on the product as it is then (`ifProfile`), so
 * nobody's change of that minute is overwritten; what a line can't do any more is an error of it. A node that ends in
 * between has carried out a part, and the same table again does the rest. Rejected: one fact for all, which would be as
 * long as the table.
 */
import { ChangedMeanwhile } from '../../../engine/decide/changed-meanwhile.ts';
import type { CommandOf } from '../../../engine/decide/command.ts';
import { productDeciders } from '../../../engine/decide/decide-product.ts';
import { Rejection } from '../../../engine/decide/rejection.ts';
import { MAX_PRODUCTS } from '../../../engine/limits.ts';
import { catalogFields, type ProductProfile, profileText } from '../../../engine/products.ts';
import type { State } from '../../../engine/state.ts';
import { ownTick } from '../../../shared/event-loop.ts';
import { PatientSlices } from '../../../shared/slices.ts';
import { changesField, type Fields, productView } from '../../../views/operator-views.ts';
import { unguarded } from '../csv-text.ts';
import {
  IMPORT_QUERY,
  type ImportCall,
  ImportTurn,
  importedBefore,
  importFields,
} from '../imports/import-call.ts';
import { ImportErrors, MAX_TOLD_LINES } from '../imports/import-errors.ts';
import { readTable, type TableRow } from '../imports/imported-table.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { STOCK } from '../roles.ts';
import { EMPTY_PROFILE, newProfile } from './product-body.ts';
import { fieldsOf, PRODUCT_TABLE } from './product-columns.ts';
import { IMPORT_PRODUCTS } from './product-operations.ts';

/** Commands that wait for the disk together. More of them would make others wait for their turns. */
const AT_ONCE = 16;
/** So often a line is decided again because its product was changed meanwhile, or the mailbox was full. */
const TRIES_OF_A_LINE = 8;

type Services = Pick<OperatorServices, 'engine'>;

/** The meaning of a line that changes something. */
type Plan =
  | {
      readonly command: CommandOf<'CreateProduct'>;
      readonly profile: ProductProfile;
      readonly before?: never;
    }
  | {
      readonly command: CommandOf<'UpdateProduct'>;
      readonly profile: ProductProfile;
      readonly before: ProductProfile;
    };

interface Fault {
  readonly column: string;
  readonly message: string;
}

/** A line that is to be carried out as planned, and anew where that is too late. */
interface PlannedRow {
  readonly row: TableRow;
  readonly plan: Plan;
}

export function productImportRoutes(services: Services): OperatorRoute[] {
  const turn = new ImportTurn();
  return [
    operatorRoute(
      'POST /products/import',
      IMPORT_PRODUCTS,
      (context) => turn.take(context, (call) => importProducts(services, context, call)),
      { roles: STOCK, query: IMPORT_QUERY },
    ),
  ];
}

async function importProducts(services: Services, context: OperatorContext, call: ImportCall): Promise<void> {
  const { engine } = services;
  const { isDry, leavesOutBadLines, chunks, charset } = call;
  const errors = new ImportErrors();
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const rows: PlannedRow[] = [];
  const lines: Fields[] = [];
  const lineOfSku = new Map<string, number>();
  const plan = (row: TableRow) => {
    const sku = row.cells.get('sku') ?? '';
    const earlier = lineOfSku.get(sku);
    if (earlier !== undefined) return errors.add(row.line, 'sku', `Line ${earlier} has the same sku.`);
    if (sku !== '') lineOfSku.set(sku, row.line);
    const planned = planOf(engine.state, row);
    if (planned === 'unchanged') counts.unchanged += 1;
    else if ('message' in planned) errors.add(row.line, planned.column, planned.message);
    else if (planned.before === undefined && engine.state.products.size + counts.created >= MAX_PRODUCTS)
      errors.add(row.line, 'sku', `A node holds at most ${MAX_PRODUCTS} products.`);
    else {
      counts[planned.before === undefined ? 'created' : 'updated'] += 1;
      if (!isDry) rows.push({ row, plan: planned });
      else if (lines.length < MAX_TOLD_LINES) lines.push(lineView(row.line, sku, planned));
    }
  };
  await readTable(chunks, charset, PRODUCT_TABLE, plan, errors);
  const refusal = context.lateRefusal();
  if (refusal !== undefined) return context.fail(refusal);
  if (isDry) return context.succeedWhenDurable(200, { ...importFields(counts, errors), lines });
  if (errors.count > 0 && !leavesOutBadLines)
    return context.succeedWhenDurable(200, importFields(counts, errors));
  const done = { created: 0, updated: 0, unchanged: counts.unchanged };
  const stopped = await carryOut(services, context, rows, done, errors);
  if (stopped === undefined) return context.succeedWhenDurable(200, importFields(done, errors));
  const { created, updated } = done;
  context.failAmid(importedBefore(`${created} products were created and ${updated} updated`), stopped);
}

/** The meaning of the row now, without its being carried out. */
function planOf(state: State, row: TableRow): Plan | Fault | 'unchanged' {
  const sku = row.cells.get('sku');
  if (sku === undefined)
    return { column: 'sku', message: 'The sku is empty: products are found by it. Give each product one.' };
  // A sku that looks like a formula was written with an apostrophe in front.
  const productId = state.skus.productOf(sku) ?? state.skus.productOf(unguarded(sku));
  const product = productId === undefined ? undefined : state.products.get(productId);
  const fields = fieldsOf(row, product?.profile);
  if (fields.error !== undefined) return { column: fields.column, message: fields.error.message };
  const { changes } = fields;
  if (product !== undefined && Object.keys(changes).length === 0) return 'unchanged';
  if (product === undefined) {
    for (const column of ['name', 'priceUsdt'])
      if (!row.cells.has(column)) return { column, message: `${column} is empty, and the product is new.` };
    const command = { kind: 'CreateProduct', profile: newProfile(changes) } as const;
    const refusal = productDeciders.CreateProduct(state, command, 0);
    return refusal instanceof Rejection ? refused(row, refusal) : { command, profile: command.profile };
  }
  const { profile: before } = product;
  const attributes =
    changes.attributes === undefined ? {} : { attributes: { ...before.attributes, ...changes.attributes } };
  const all = { ...changes, ...attributes };
  const profile = { ...before, ...all };
  if (profileText(profile) === profileText(before)) return 'unchanged';
  const command = { kind: 'UpdateProduct', productId: product.productId, changes: all } as const;
  const refusal = productDeciders.UpdateProduct(state, command, 0);
  return refusal instanceof Rejection ? refused(row, refusal) : { command, profile, before };
}

/** Fields that the engine's refusals are about, of which the first that the row has is told. */
const REFUSED_COLUMNS = ['lowStock', 'minQuantity', 'maxQuantity', 'type', 'sku'];

function refused({ cells }: TableRow, { message }: Rejection): Fault {
  const column = REFUSED_COLUMNS.find((name) => cells.has(name) && message.includes(name)) ?? 'sku';
  return { column, message };
}

/** A new product's profile, with each field that may be absent. */
const UNSET: ProductProfile = {
  ...EMPTY_PROFILE,
  ...catalogFields(EMPTY_PROFILE),
  lowStock: null,
};

/** A line of a dry run: each field that would change, from what to what. */
function lineView(line: number, sku: string, planned: Plan): Fields {
  const { command, profile } = planned;
  const before = { ...UNSET, ...planned.before };
  const product = command.kind === 'UpdateProduct' ? { productId: command.productId } : {};
  const view = (of: ProductProfile) => productView(0, of);
  return { line, sku, ...product, ...changesField(view, profile, before) };
}

/** Counts what was done into `done`. Answers with the refusal that ended it, if one did. */
async function carryOut(
  services: Services,
  context: OperatorContext,
  rows: readonly PlannedRow[],
  done: { created: number; updated: number; unchanged: number },
  errors: ImportErrors,
): Promise<Rejection | undefined> {
  const slices = new PatientSlices();
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const some = rows.slice(start, start + AT_ONCE).map(async ({ row, plan }) => {
      let planned: ReturnType<typeof planOf> = plan;
      for (let tries = 1; ; tries += 1) {
        if (planned === 'unchanged') {
          done.unchanged += 1;
          return undefined;
        }
        if ('message' in planned) {
          errors.add(row.line, planned.column, planned.message);
          return undefined;
        }
        const result = await submitted(services, context, planned);
        if (!(result instanceof Rejection)) {
          done[planned.before === undefined ? 'created' : 'updated'] += 1;
          return undefined;
        }
        const isMeanwhile = result instanceof ChangedMeanwhile || result.code === 'ALREADY_TAKEN';
        const isToBeTried = isMeanwhile || result.code === 'RATE_LIMITED';
        if (!isToBeTried || tries === TRIES_OF_A_LINE) return result;
        await ownTick();
        planned = planOf(services.engine.state, row);
      }
    });
    const stopped = (await Promise.all(some)).find((result) => result !== undefined);
    if (stopped !== undefined) return stopped;
    if (slices.isFull) await slices.rest();
  }
  return undefined;
}

function submitted({ engine }: Services, context: OperatorContext, plan: Plan): Promise<unknown> {
  const command =
    plan.before === undefined ? plan.command : { ...plan.command, ifProfile: profileText(plan.before) };
  return new Promise((resolve) => engine.submit(command, resolve, context.origin));
}
