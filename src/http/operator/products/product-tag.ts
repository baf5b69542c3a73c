/**
 * The ETag of a product: a name for the state of what PATCH can change, and for nothing else. Stock and sales don't
 * change it, or nobody could save a product that sells.
 *
 * A PATCH with `If-Match` happens only in a state that it names. The state is compared in the command's turn: the
 * command has the profile that was meant, or one that no product has.
 */
import { createHash } from 'node:crypto';
import { type ProductProfile, profileText } from '../../../engine/products.ts';
import { type ApiError, badRequest } from '../../errors.ts';
import type { ReplyHeaders } from '../../transport/reply-headers.ts';

const TAGS = /^\s*(?:W\/)?"[^"]*"\s*(?:,\s*(?:W\/)?"[^"]*"\s*)*$/;
const BAD_TAGS = badRequest('If-Match must be the ETag of an answer with the product, in its quotes, or *.');
const OF_NO_PRODUCT = '';

export function tagOf(profile: ProductProfile): string {
  return `"${createHash('sha256').update(profileText(profile)).digest('hex')}"`;
}

export function tagHeaders(profile: ProductProfile): ReplyHeaders {
  return [['etag', tagOf(profile)]];
}

/**
 * The `profileText` that the product must have; undefined when any will do, as without the header. A weak tag matches
 * none. An empty header is refused: a program that has lost the tag must not write over anything.
 */
export function parseIfMatch(
  values: readonly string[],
  profile: ProductProfile,
): { readonly ifProfile: string | undefined } | { readonly error: ApiError } {
  const header = values.join(',');
  if (values.length === 0 || header.trim() === '*') return { ifProfile: undefined };
  if (!TAGS.test(header)) return { error: BAD_TAGS };
  const tags = header.split(',').map((tag) => tag.trim());
  return { ifProfile: tags.includes(tagOf(profile)) ? profileText(profile) : OF_NO_PRODUCT };
}
