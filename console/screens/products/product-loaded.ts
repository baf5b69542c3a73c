/** A product together with the ETag that a save must name, so that nobody writes over what he has not seen. */
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

/** Throws what `call` throws: a `CHANGED_MEANWHILE` when the product isn't any more what it was when the edits began. */
export async function saveProduct(
  { product, etag }: LoadedProduct,
  edits: Edits,
  reason: string | undefined,
): Promise<LoadedProduct> {
  const { productId: id } = product;
  const body = { ...bodyOf(edits), ...(reason === undefined ? {} : { reason }) };
  const headers = { 'if-match': etag };
  return loadedFrom(await answered('PATCH /products/{id}', { path: { id }, headers, body }));
}

async function loadedFrom(response: Response): Promise<LoadedProduct> {
  const product = (await response.json()) as Product;
  return { product, draft: draftOf(product), etag: response.headers.get('etag') ?? '' };
}
