/**
 * How many downloads may run at one moment: each holds a file open and a chunk of it in memory for as long as
 * its reader takes. An account has its own, smaller share, so that one with slow readers can't keep all others
 * from their files.
 */

export const MAX_DOWNLOADS = 256;
export const MAX_DOWNLOADS_PER_ACCOUNT = 32;

export class DownloadSlots {
  /** Accounts with a download under way, so there are at most as many as downloads. */
  readonly #ofAccount = new Map<number, number>();
  #taken = 0;

  /** False when there is none left; otherwise `leave` must follow, once. */
  take(accountId: number): boolean {
    const taken = this.#ofAccount.get(accountId) ?? 0;
    if (this.#taken >= MAX_DOWNLOADS || taken >= MAX_DOWNLOADS_PER_ACCOUNT) return false;
    this.#taken += 1;
    this.#ofAccount.set(accountId, taken + 1);
    return true;
  }

  leave(accountId: number): void {
    const left = (this.#ofAccount.get(accountId) ?? 0) - 1;
    this.#taken -= 1;
    if (left > 0) this.#ofAccount.set(accountId, left);
    else this.#ofAccount.delete(accountId);
  }
}
