/**
 * GET /products (SPEC.md §2, §4): what is on sale, with what is left of it.
 *
 * The tag of a catalog names the list of its entries, which is the same one while nothing in it has changed
 * (`catalog-views.ts`), and it is no other's, whatever a crash takes back: each process has a secret of its own in it. So a
 * tag costs no look at the catalog. Rejected: a hash of the text, which each sale would make anew.
 */
import { createHash, randomBytes } from 'node:crypto';
import { namesTag } from '../byte-range.ts';
import { badRequest } from '../errors.ts';
import type { Operation, Query } from '../operation.ts';
import { jsonHeaders, requestIdHeader } from '../reply.ts';
import { CATALOG_ANSWER } from '../schemas/product.ts';
import type { ReplyHeaders } from '../transport/reply-headers.ts';
import type { BuyerContext } from './buyer-context.ts';
import { type BuyerRoute, type BuyerServices, buyerRoute } from './buyer-route.ts';
import { type CatalogEntry, CatalogViews } from './catalog-views.ts';
import { PackedBody, type PackedText, packed } from './packed-catalog.ts';

const MAX_IDS = 100;
const IDS = /^\d{1,15}(?:,\d{1,15})*$/;
const BAD_IDS = badRequest(`ids must be up to ${MAX_IDS} ids of products, such as 1,2,3.`);

const QUERY: Query = {
  ids: {
    type: 'string',
    pattern: IDS.source,
    description: `Up to ${MAX_IDS} ids, such as \`1,2,3\`: these alone. Those that you cannot see are left out.`,
  },
};

const LIST_PRODUCTS: Operation = {
  operationId: 'listProducts',
  tag: 'Catalog',
  summary: 'List what is on sale',
  description:
    'Load it at the start, and refresh it every 10 to 15 minutes; with `If-None-Match` what has not changed is not sent again. With `Accept-Encoding: gzip` the whole catalog is compressed.',
  requestHeaders: [
    {
      name: 'If-None-Match',
      description:
        'The ETag of the catalog that you have. When it is the same, the answer is 304 without a body.',
    },
  ],
  answers: [
    {
      status: 200,
      description: 'Every product on sale, with its price and stock.',
      schema: CATALOG_ANSWER,
      headers: ['ETag', 'Content-Encoding'],
    },
    { status: 304, description: 'The catalog is the one that you have.', headers: ['ETag'] },
  ],
  errors: ['BAD_REQUEST'],
};

/** A list of entries as it is told. */
interface Told {
  readonly tag: string;
  /** Once somebody wants it compressed. */
  packed?: Promise<PackedText>;
}

export function productRoutes({ engine }: BuyerServices): BuyerRoute[] {
  const views = new CatalogViews();
  const tags = new CatalogTags();
  return [
    buyerRoute(
      'GET /products',
      'catalog:read',
      LIST_PRODUCTS,
      (context) => {
        const ids = new URLSearchParams(context.request.query).get('ids');
        if (ids !== null && !areIds(ids)) return context.fail(BAD_IDS);
        const had = context.request.header('if-none-match');
        const isPacked = ids === null && takesGzip(context.request.header('accept-encoding'));
        const all = views.of(engine.state, context.account);
        const told = tags.of(all);
        const tag = ids === null ? told.tag : tags.ofPart(told, ids);
        const headers: ReplyHeaders = [['etag', tag]];
        context.whenDurable(() => {
          if (had !== undefined && namesTag(had, tag))
            return context.reply(304, notModified(context.requestId, headers), '');
          if (isPacked) return context.keep(sendPacked(context, told, headers, () => beginOf(views, all)));
          const entries = ids === null ? all : partOf(all, ids);
          context.sendInSlices(200, partsOf(views, entries, context.requestId), headers);
        });
      },
      QUERY,
    ),
  ];
}

class CatalogTags {
  readonly #secret = randomBytes(16).toString('hex');
  readonly #told = new WeakMap<readonly CatalogEntry[], Told>();
  #count = 0;

  of(entries: readonly CatalogEntry[]): Told {
    let told = this.#told.get(entries);
    if (told === undefined) {
      this.#count += 1;
      told = { tag: this.#tagOf(String(this.#count)) };
      this.#told.set(entries, told);
    }
    return told;
  }

  ofPart({ tag }: Told, ids: string): string {
    return this.#tagOf(`${tag} ${ids}`);
  }

  #tagOf(name: string): string {
    return `"${createHash('sha256').update(`${this.#secret} ${name}`).digest('hex')}"`;
  }
}

async function sendPacked(
  context: BuyerContext,
  told: Told,
  headers: ReplyHeaders,
  parts: () => Iterator<string, undefined>,
): Promise<void> {
  try {
    told.packed ??= packed(parts());
    const body = new PackedBody(await told.packed, endOf(context.requestId));
    if (context.request.finished) return;
    const more: ReplyHeaders = [...headers, ['content-encoding', 'gzip']];
    context.replyStream(200, jsonHeaders(context.requestId, more), body);
  } catch (error) {
    delete told.packed;
    context.fault(error);
  }
}

function areIds(text: string): boolean {
  return IDS.test(text) && text.split(',').length <= MAX_IDS;
}

function partOf(entries: readonly CatalogEntry[], ids: string): readonly CatalogEntry[] {
  const wanted = new Set(ids.split(',').map(Number));
  return entries.filter(({ productId }) => wanted.has(productId));
}

/** Whether the header names gzip, and not with a weight of 0. */
function takesGzip(header: string | undefined): boolean {
  return (header ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .some((coding) => /^(?:x-)?gzip\s*(?:;|$)/.test(coding) && !/;\s*q=0(?:\.0*)?\s*$/.test(coding));
}

/** Headers of an answer without a body. */
function notModified(requestId: string, headers: ReplyHeaders): ReplyHeaders {
  return [['cache-control', 'no-store'], requestIdHeader(requestId), ...headers];
}

function* beginOf(views: CatalogViews, entries: readonly CatalogEntry[]): Generator<string, undefined> {
  let before = '{"success":true,"products":[';
  for (const entry of entries) {
    yield before + views.textOf(entry);
    before = ',';
  }
  if (entries.length === 0) yield before;
}

function endOf(requestId: string): string {
  return `],"requestId":${JSON.stringify(requestId)}}`;
}

function* partsOf(
  views: CatalogViews,
  entries: readonly CatalogEntry[],
  requestId: string,
): Generator<string, undefined> {
  yield* beginOf(views, entries);
  yield endOf(requestId);
}
