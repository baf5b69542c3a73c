/** What passes between the main thread and the feed's. A reader has one request under way at a time. */

export interface FeedThreadData {
  readonly folder: string;
}

export type FeedRequest =
  /** Answered by `opened` or `gone`. */
  | { readonly kind: 'open'; readonly reader: number; readonly after: number }
  /** The next lines up to `through`, which is durable. Answered by `lines`. */
  | { readonly kind: 'read'; readonly reader: number; readonly through: number }
  /** Not answered. */
  | { readonly kind: 'close'; readonly reader: number }
  /** The thread lets go of the journal, and ends. */
  | { readonly kind: 'stop' };

export type FeedAnswer =
  | { readonly kind: 'opened'; readonly reader: number }
  /** The journal goes on only after `oldest`, with which a reader can begin; undefined when it doesn't go on at all. */
  | { readonly kind: 'gone'; readonly reader: number; readonly oldest: number | undefined }
  | {
      readonly kind: 'lines';
      readonly reader: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly last: number;
    }
  /** The journal can't be read there. */
  | { readonly kind: 'failed'; readonly reader: number; readonly reason: string };
