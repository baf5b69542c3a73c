/**
 * Takes the stream that a backup is, entry by entry, and puts each where it belongs in the folder that is made.
 *
 * Frames come several times where two series overlap, and belong to a history that was left where one begins elsewhere:
 * those up to the journal's head, and those behind the limit, are passed over. Texts and files that frames name are
 * told by their facts.
 */
import { type ChunkEntry, readEntries } from '../backup/chunk-entries.ts';

import { extentOf, type FactVisitor, readHead, visitFacts } from '../persistence/journal/journal-frame.ts';
import type { LogBuilder } from '../persistence/journal/log-builder.ts';
import { cutFrame } from './cut-frame.ts';
import type { RestoredFiles } from './restored-files.ts';
import type { RestoredQueues } from './restored-queues.ts';
import type { RestoredTexts } from './restored-texts.ts';

export interface IntakeParts {
  readonly log: LogBuilder;
  readonly texts: RestoredTexts;
  readonly files: RestoredFiles;
  readonly queues: RestoredQueues;
}

export class StreamIntake {
  readonly #parts: IntakeParts;
  /** Frames of the batch that is taken. */
  #frames: Buffer[] = [];
  #position = 0;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * The bodies of chunks, in their order, as one transaction of each file; facts behind `through` are left out. Throws
   * `DamagedDataError` and `StockError`, and what the disk throws.
   */
  async take(bodies: readonly Buffer[], through: number): Promise<void> {
    const { log, texts } = this.#parts;
    this.#frames = [];
    this.#position = log.head.position;
    texts.write(() => {
      for (const body of bodies) for (const entry of readEntries(body)) this.#take(entry, through);
    });
    await log.append(this.#frames);
  }

  #take(entry: ChunkEntry, through: number): void {
    const { texts, files, queues } = this.#parts;
    if (entry.kind === 'queues') queues.take(entry.queues);
    else if (this.#position >= through) return;
    else if (entry.kind === 'items') texts.items(entry);
    else if (entry.kind === 'orderTexts') texts.orderTexts(entry);
    else if (entry.kind === 'file') files.part(entry);
    else if (extentOf(entry.frame).last > this.#position) this.#takeFrame(cutFrame(entry.frame, through));
  }

  #takeFrame(frame: Buffer): void {
    visitFacts(frame, readHead(frame), this.#facts);
    this.#frames.push(frame);
    this.#position = extentOf(frame).last;
  }

  /** Purchases name nothing. */
  readonly #facts: FactVisitor = {
    skipsPurchases: true,
    fact: (fact) => {
      if (fact.kind === 'ProductFileSet') this.#parts.files.name(fact.file);
      else this.#parts.texts.fact(fact);
    },
  };
}
