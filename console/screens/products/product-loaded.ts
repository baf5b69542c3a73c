/** A product together with the ETag that a save must name, so that nobody writes over what he has not seen. */
import { ApiFailure } from '../../api/api-failure.ts';
import { answered } from '../../api/operator-api.ts';
import { bodyOf, type Draft, draftOf, type Edits, type Product } from './product-draft.ts';

export interface LoadedProduct {
  readonly product: Product;
  readonly draft: Draft;
  readonly etag: string;
}

export async function loadProduct(id: number, signal?: AbortSignal): Promise<LoadedProduct> {
  return loadedFrom(await answered('GET /products/{id}', { path: { id }, signal }));
}

/** The outcome of a save: saved, or refused because the product is not any more what it was when the edits began. */
export type SaveResult = { readonly saved: LoadedProduct } | { readonly changedTo: LoadedProduct };

/** Throws what `call` throws, but for a product that has been changed meanwhile. */
export async function saveProduct(
  { product, draft, etag }: LoadedProduct,
  edits: Edits,
  reason: string | undefined,
): Promise<SaveResult> {
  const { productId: id } = product;
  const body = { ...bodyOf(draft, edits), ...(reason === undefined ? {} : { reason }) };
  try {
    const headers = { 'if-match': etag };
    return {
      saved: await loadedFrom(await answered('PATCH /products/{id}', { path: { id }, headers, body })),
    };
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'CHANGED_MEANWHILE') throw error;
    // The refusal has the product, too, but a tag is only valid with the answer that it came with.
    return { changedTo: await loadProduct(id) };
  }
}

async function loadedFrom(response: Response): Promise<LoadedProduct> {
  const product = (await response.json()) as Product;
  return { product, draft: draftOf(product), etag: response.headers.get('etag') ?? '' };
}
