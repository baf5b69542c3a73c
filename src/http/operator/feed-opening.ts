/** What GET /feed needs of the feed, and how an opening goes. */
import type { ReplyBody } from '../transport/reply-stream.ts';

/** `src/feed/fact-feed.ts` is it. */
export interface Feed {
  /** Rejects when the journal can't be read there. */
  open(after: number): Promise<FeedOpening>;
}

export type FeedOpening =
  | { readonly kind: 'open'; readonly body: ReplyBody }
  /** There is no such fact yet: `position` is the last one. */
  | { readonly kind: 'ahead'; readonly position: number }
  /** The facts are not in the folder any more; a reader can go on after `oldest`, if there is such a place. */
  | { readonly kind: 'gone'; readonly oldest: number | undefined }
  | { readonly kind: 'full' }
  | { readonly kind: 'stopping' };
