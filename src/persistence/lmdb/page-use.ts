/**
 * The use of each page of a file: unknown, live, or free. A page has one use at most: a page that two trees share, or
 * that the free list would hand out while it is live, will be overwritten one day.
 */
import type { PageFile } from './page-file.ts';

const UNKNOWN = 0;
const LIVE = 1;
const FREE = 2;

/**
 * A page that was allocated and freed in one transaction is never written, so a sound file may end before its
 * last page. The bound keeps a damaged page number from asking for terabytes here: 4 GB of such pages are enough.
 */
const MAX_UNWRITTEN_PAGES = 1_048_576;

export class PageUse {
  readonly file: PageFile;
  readonly pageBytes: number;
  readonly #uses: Uint8Array;
  readonly #pagesInFile: number;

  /**
   * @param lastPage the highest page number in use, as the meta page has it
   * @throws DamagedFileError when the file is far too short for it
   */
  constructor(file: PageFile, pageBytes: number, lastPage: number) {
    this.file = file;
    this.pageBytes = pageBytes;
    this.#pagesInFile = Math.floor(file.bytes / pageBytes);
    if (lastPage >= this.#pagesInFile + MAX_UNWRITTEN_PAGES) throw file.cutShort((lastPage + 1) * pageBytes);
    this.#uses = new Uint8Array(Math.max(lastPage + 1, 2));
    this.#uses.fill(LIVE, 0, 2);
  }

  /** Notes `count` pages from `page` on as live. `from` is the page that refers to them. */
  markLive(page: number, count: number, from: number): void {
    this.#mark(page, count, from, LIVE);
    if (page + count > this.#pagesInFile) throw this.file.cutShort(this.#uses.length * this.pageBytes);
  }

  markFree(page: number, count: number, from: number): void {
    this.#mark(page, count, from, FREE);
  }

  /**
   * Pages of the file that no tree and no list knows: lost space, but no danger. Call it last.
   * @throws DamagedFileError when the file lacks pages that are not known to be free
   */
  countLost(): number {
    let lost = 0;
    for (let page = 0; page < this.#uses.length; page += 1) {
      if (this.#uses[page] !== UNKNOWN) continue;
      if (page >= this.#pagesInFile) throw this.file.cutShort(this.#uses.length * this.pageBytes);
      lost += 1;
    }
    return lost;
  }

  #mark(page: number, count: number, from: number, use: number): void {
    const end = page + count;
    if (!(page >= 2 && count >= 1 && end <= this.#uses.length)) {
      throw this.file.damaged(from, `refers to page ${page} (${count} pages) of ${this.#uses.length}`);
    }
    for (let at = page; at < end; at += 1) {
      if (this.#uses[at] !== UNKNOWN)
        throw this.file.damaged(from, `refers to page ${at}, ${this.#describe(at)}`);
      this.#uses[at] = use;
    }
  }

  #describe(page: number): string {
    return this.#uses[page] === FREE ? 'which is listed as free' : 'which is in use elsewhere';
  }
}
