/**
 * All that a bot must know after a kill, in its folder: updates that Telegram has delivered and that aren't carried out,
 * copies that are due, orders whose copies were due lately, open questions, chats that have blocked it, and its places in
 * the feed and in Telegram's queue.
 *
 * One LMDB environment: each step is one transaction, on disk when the call returns, and as small as what it changes.
 * Rejected: files that are written anew, for a copy would write thousands of others; a log of our own, for a library has
 * one. Everything has a bound. No row has a text of an item, a key or a token: items and keys are asked for when they are
 * sent.
 *
 * Invariant: an update is here before Telegram is told that it has come, and until it is carried out; a copy is here
 * before the place in the feed is behind its line, and until it was sent.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DataFolderError } from '../../persistence/folder/data-folder-error.ts';
import { type FolderLock, lockFolder } from '../../persistence/folder/folder-lock.ts';
import {
  createEnvironment,
  type Environment,
  type LmdbTable,
  openEnvironment,
} from '../../persistence/lmdb/lmdb-environment.ts';
import type { KeptUpdate } from '../telegram/kept-update.ts';
import { BoundedRows } from './bounded-rows.ts';
import type { Question } from './question.ts';

const FILE = 'bot.mdb';
const TABLES = ['places', 'updates', 'copies', 'due', 'questions', 'blocked'];
/** Orders whose copies are not due again when their lines are read again. */
const MOST_DUE = 100_000;
const MOST_QUESTIONS = 10_000;
const MOST_BLOCKED = 100_000;

/** The last line of the feed that is done. */
export interface FeedPlace {
  readonly after: number;
  readonly epoch: number;
}

/** The last update that came, and when. */
export interface UpdatePlace {
  readonly updateId: number;
  readonly atMs: number;
}

export interface DueCopy {
  readonly orderId: number;
  readonly accountId: number;
  /** The message was sent, the file not yet. */
  readonly isTold?: true;
}

interface Bounds {
  readonly mostQuestions?: number;
}

interface Places {
  /** Whose updates, questions and blocks these are. */
  readonly botId?: number;
  readonly feed?: FeedPlace;
  readonly updates?: UpdatePlace;
}

export class BotState {
  readonly updates: BoundedRows<KeptUpdate>;
  readonly copies: BoundedRows<DueCopy>;
  readonly #environment: Environment;
  readonly #lock: FolderLock;
  readonly #placesTable: LmdbTable;
  readonly #due: BoundedRows<number>;
  readonly #dueOrders = new Set<number>();
  readonly #questions: BoundedRows<Question>;
  /** Numbers of the rows of questions, by chat and id. */
  readonly #questionRows = new Map<string, number>();
  readonly #blocked: BoundedRows<number>;
  readonly #blockedRows = new Map<number, number>();
  #places: Places = {};
  /** Told when something can't be kept: memory is ahead of the disk then, and the bot must end. */
  onFailure: (error: Error) => void = () => {};

  private constructor(
    environment: Environment,
    lock: FolderLock,
    { mostQuestions = MOST_QUESTIONS }: Bounds,
  ) {
    this.#environment = environment;
    this.#lock = lock;
    const table = (name: string) => environment.table(name);
    this.#placesTable = table('places');
    for (const { value } of this.#placesTable.getRange({})) this.#places = JSON.parse(value.toString());
    this.updates = new BoundedRows(table('updates'));
    this.copies = new BoundedRows(table('copies'));
    this.#due = new BoundedRows(table('due'), MOST_DUE, (orderId) => this.#dueOrders.delete(orderId));
    for (const [, orderId] of this.#due.entries()) this.#dueOrders.add(orderId);
    this.#questions = new BoundedRows(table('questions'), mostQuestions, ({ chatId, id }) =>
      this.#questionRows.delete(nameOf(chatId, id)),
    );
    for (const [row, { chatId, id }] of this.#questions.entries())
      this.#questionRows.set(nameOf(chatId, id), row);
    this.#blocked = new BoundedRows(table('blocked'), MOST_BLOCKED, (chatId) =>
      this.#blockedRows.delete(chatId),
    );
    for (const [row, chatId] of this.#blocked.entries()) this.#blockedRows.set(chatId, row);
  }

  /** Makes the folder if need be. Rejects when another bot has it. */
  static async open(folder: string, bounds: Bounds = {}): Promise<BotState> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = await lockFolder(folder).catch((error: unknown) => {
      throw DataFolderError.is(error, 'in-use') ? inUse(folder, error) : error;
    });
    try {
      await createEnvironment(join(folder, FILE), TABLES);
      return new BotState(openEnvironment(join(folder, FILE)), lock, bounds);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  get feedPlace(): FeedPlace | undefined {
    return this.#places.feed;
  }

  get updatePlace(): UpdatePlace | undefined {
    return this.#places.updates;
  }

  get blockedChats(): number {
    return this.#blocked.size;
  }

  isBlocked(chatId: number): boolean {
    return this.#blockedRows.has(chatId);
  }

  question(chatId: number, id: string): Question | undefined {
    return this.#questions.get(this.#questionRows.get(nameOf(chatId, id)) ?? 0);
  }

  /**
   * Numbers of updates and messages, and who has blocked it, are one bot's: what is here of another is forgotten, or updates
   * of this one would be taken for old ones, and its questions for asked. Copies that are due are the shop's, and stay.
   */
  keepFor(botId: number): void {
    const { botId: before, updates, ...places } = this.#places;
    if (before === botId) return;
    this.#write(() => {
      if (before === undefined) return this.#keepPlaces({ ...this.#places, botId });
      for (const rows of [this.updates, this.#questions, this.#blocked]) rows.clear();
      this.#keepPlaces({ ...places, botId });
    });
  }

  /** Keeps a page of the feed: copies that are due by it, but for those that were due before, and its last line. */
  keepPage(copies: readonly DueCopy[], feed: FeedPlace): void {
    this.#write(() => {
      for (const copy of copies) {
        if (this.#dueOrders.has(copy.orderId)) continue;
        this.#dueOrders.add(copy.orderId);
        this.#due.add(copy.orderId);
        this.copies.add(copy);
      }
      this.#keepPlaces({ ...this.#places, feed });
    });
  }

  /** The messages of these copies were sent; their files come next. */
  tellCopies(numbers: readonly number[]): void {
    this.#write(() => {
      for (const number of numbers) {
        const copy = this.copies.get(number);
        if (copy !== undefined) this.copies.set(number, { ...copy, isTold: true });
      }
    });
  }

  endCopies(numbers: readonly number[]): void {
    if (numbers.length === 0) return;
    this.#write(() => {
      for (const number of numbers) this.copies.remove(number);
    });
  }

  /** Their numbers, in the order of `updates`. */
  keepUpdates(updates: readonly KeptUpdate[], place: UpdatePlace): number[] {
    const numbers: number[] = [];
    this.#write(() => {
      for (const update of updates) numbers.push(this.updates.add(update));
      this.#keepPlaces({ ...this.#places, updates: place });
    });
    return numbers;
  }

  endUpdate(number: number): void {
    this.#write(() => this.updates.remove(number));
  }

  /** Keeps a question, or what became of it. */
  keepQuestion(question: Question): void {
    const name = nameOf(question.chatId, question.id);
    this.#write(() => {
      const row = this.#questionRows.get(name);
      if (row !== undefined) this.#questions.set(row, question);
      else this.#questionRows.set(name, this.#questions.add(question));
    });
  }

  setBlocked(chatId: number, isBlocked: boolean): void {
    const row = this.#blockedRows.get(chatId);
    if ((row !== undefined) === isBlocked) return;
    this.#write(() => {
      if (row !== undefined) this.#blocked.remove(row);
      else this.#blockedRows.set(chatId, this.#blocked.add(chatId));
    });
  }

  async close(): Promise<void> {
    await this.#environment.close();
    await this.#lock.release();
  }

  #write(work: () => void): void {
    try {
      this.#environment.transactionSync(work);
    } catch (error) {
      this.onFailure(error as Error);
      throw error;
    }
  }

  #keepPlaces(places: Places): void {
    this.#placesTable.putSync(Buffer.from('places'), Buffer.from(JSON.stringify(places)));
    this.#places = places;
  }
}

function nameOf(chatId: number, id: string): string {
  return `${chatId} ${id}`;
}

function inUse(folder: string, { pid }: DataFolderError): Error {
  return new Error(
    `the state folder ${folder} is in use by another bot (pid ${pid}): stop it first, or choose another --state`,
  );
}
