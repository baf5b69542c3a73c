/**
 * The contents of a target, read the way a restore would: the newest manifest's chunks, then those of `base` and of
 * `log` behind it, by their chains. Every chunk is proved, and every frame.
 */
import assert from 'node:assert/strict';
import {
  behindChunk,
  type ChunkHead,
  chunkHash,
  openChunk,
  parseChunkName,
  seriesPrefix,
} from '../../src/backup/chunk.ts';
import { type QueueProgress, readEntries } from '../../src/backup/chunk-entries.ts';
import { openRecord, recordKeyOf } from '../../src/backup/record.ts';
import type { BackupTarget } from '../../src/backup/target/backup-target.ts';
import { MANIFESTS, type Manifest } from '../../src/backup/target-layout.ts';
import { FrameChain } from '../../src/persistence/journal/frame-chain.ts';
import { GENESIS, type LogHead } from '../../src/persistence/journal/frame-log.ts';
import { extentOf } from '../../src/persistence/journal/journal-frame.ts';
import type { DataKeys } from '../../src/persistence/keys/data-keys.ts';
import { RowCipher } from '../../src/persistence/keys/row-cipher.ts';
import { ItemBlock } from '../../src/persistence/stock/file/stock-block.ts';
import type { WrittenFolder } from './written-folder.ts';

export class BackupContents {
  manifest: Manifest | undefined;
  readonly items = new Map<number, string>();
  readonly orderTexts = new Map<number, string[]>();
  readonly files = new Map<string, Buffer[]>();
  readonly queues = new Map<number, QueueProgress>();
  /** The head of all frames read. */
  head: LogHead = GENESIS;
  readonly #chain = new FrameChain(GENESIS);

  static async read(target: BackupTarget, keys: DataKeys, epoch = 1): Promise<BackupContents> {
    const contents = new BackupContents();
    const cipher = new RowCipher(keys);
    for await (const { name } of target.list(MANIFESTS)) {
      const bytes = (await target.read(name)) ?? Buffer.alloc(0);
      const manifest = openRecord<Manifest>(name, bytes, recordKeyOf(keys.fingerprintKey));
      if (manifest !== undefined) contents.manifest = manifest;
    }
    for (const { name, bytes, sha256 } of contents.manifest?.chunks ?? []) {
      const found = await target.read(name);
      assert.ok(found, `${name} is missing`);
      assert.equal(found.length, bytes);
      assert.equal(chunkHash(found), sha256, `${name} is another`);
      contents.#take(openChunk(found, cipher).body);
    }
    if (contents.manifest !== undefined) {
      assert.equal(contents.head.position, contents.manifest.position.seq);
      assert.equal(contents.head.hash.toString('hex'), contents.manifest.position.hash);
    }
    const { chunks = [], logThrough = 0 } = contents.manifest ?? {};
    const ofBase = chunks.map(({ name }) => parseChunkName(name)).filter((chunk) => chunk?.series === 'base');
    const last = ofBase.findLast((chunk) => chunk?.epoch === epoch)?.number ?? 0;
    await contents.#readBehind(target, cipher, { series: 'base', epoch, number: last });
    await contents.#readBehind(target, cipher, { series: 'log', epoch, number: logThrough });
    return contents;
  }

  /** Asserts that the target has all that the folder has. */
  expectAll(folder: WrittenFolder): void {
    assert.equal(this.head.position, folder.position);
    assert.deepEqual(
      [...this.items.entries()].sort(([a], [b]) => a - b),
      [...folder.items.entries()],
    );
    assert.deepEqual(this.orderTexts, folder.orderTexts);
    for (const [fileId, content] of folder.files) {
      assert.ok(Buffer.concat(this.files.get(fileId) ?? []).equals(content), `file ${fileId}`);
    }
  }

  async #readBehind(
    target: BackupTarget,
    cipher: RowCipher,
    place: Pick<ChunkHead, 'series' | 'epoch' | 'number'>,
  ): Promise<void> {
    const { series, epoch } = place;
    const byNumber = new Map<number, { head: ChunkHead; body: Buffer; sha256: string }[]>();
    for await (const { name } of target.list(seriesPrefix(series, epoch), { after: behindChunk(place) })) {
      const bytes = await target.read(name);
      try {
        const opened = openChunk(bytes ?? Buffer.alloc(0), cipher);
        const number = parseChunkName(name)?.number ?? 0;
        byNumber.set(number, [
          ...(byNumber.get(number) ?? []),
          { ...opened, sha256: chunkHash(bytes ?? Buffer.alloc(0)) },
        ]);
      } catch {
        // Another attempt has it.
      }
    }
    const numbers = [...byNumber.keys()].sort((a, b) => a - b);
    let wanted: string | undefined;
    const chosen: Buffer[] = [];
    for (const number of numbers.reverse()) {
      const candidates = byNumber.get(number) ?? [];
      const chunk =
        wanted === undefined ? candidates.at(-1) : candidates.find(({ sha256 }) => sha256 === wanted);
      assert.ok(chunk, `chunk ${number} of ${series} is not the one that the next one names`);
      chosen.unshift(chunk.body);
      wanted = chunk.head.previous;
    }
    for (const body of chosen) this.#take(body);
  }

  #take(body: Buffer): void {
    for (const entry of readEntries(body)) {
      if (entry.kind === 'frame') {
        if (extentOf(entry.frame).last <= this.head.position) continue;
        this.#chain.add(entry.frame);
        this.head = this.#chain.head;
      } else if (entry.kind === 'items') {
        const block = ItemBlock.decode('items', entry.texts, 1_000);
        for (const [index, text] of block.texts().entries()) this.items.set(entry.firstItem + index, text);
      } else if (entry.kind === 'orderTexts') {
        this.orderTexts.set(entry.orderId, ItemBlock.decode('texts', entry.texts, 10_000).texts());
      } else if (entry.kind === 'file') {
        const parts = entry.offset === 0 ? [] : (this.files.get(entry.fileId) ?? []);
        this.files.set(entry.fileId, [...parts, Buffer.from(entry.bytes)]);
      } else {
        for (const queue of entry.queues) this.queues.set(queue.accountId, queue);
      }
    }
  }
}
