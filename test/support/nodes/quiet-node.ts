/** A node in this process, on a folder of its own, that says nothing; and its clients. */
import assert from 'node:assert/strict';
import type { Flags } from '../../../src/config/config.ts';
import type { PurserNode } from '../../../src/node/node.ts';
import { BuyerClient } from '../buyer-client.ts';
import { CheckedOperatorClient } from '../checked-operator-client.ts';
import { type OperatorClient, ok } from '../operator-client.ts';
import { SMALL_RUNS } from '../small-runs.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../temporary-folder.ts';
import { startInProcess } from './node-in-process.ts';

/** A hundred facts or so: then a segment of the journal is full, and is packed. */
const SEGMENT_BYTES = 16 * 1024;
/** So that what a longer history has, folds and run files, is there after a few purchases. */
const FOLD_INTERVAL_MS = 500;

export class QuietNode {
  readonly folder: TemporaryFolder;
  /** The client of the node as it runs now. */
  operator!: OperatorClient;
  buyers!: BuyerClient;
  readonly #flags: Flags;
  #node: PurserNode | undefined;

  private constructor(folder: TemporaryFolder, flags: Flags) {
    this.folder = folder;
    this.#flags = flags;
  }

  /** On a new folder, or on one that is there, which it removes at the end. `flags` by their names in camel case. */
  static async start(on: string | TemporaryFolder, flags: Flags = {}): Promise<QuietNode> {
    const quiet = new QuietNode(typeof on === 'string' ? await createTemporaryFolder(on) : on, flags);
    await quiet.start();
    return quiet;
  }

  /** Not started yet. */
  static on(folder: TemporaryFolder, flags: Flags = {}): QuietNode {
    return new QuietNode(folder, flags);
  }

  get operatorUrl(): string {
    return this.#node?.operatorUrl ?? assert.fail('the node does not run');
  }

  get buyerUrl(): string {
    return this.#node?.buyerUrl ?? assert.fail('the node does not run');
  }

  get operatorToken(): string {
    return this.#node?.operatorToken ?? assert.fail('the node does not run');
  }

  /** A client with a token of its own. */
  async operatorWith(role: string): Promise<OperatorClient> {
    const { token = '' } = await ok(this.operator.json('POST', '/operators', { name: `a-${role}`, role }));
    return new CheckedOperatorClient(this.operatorUrl, token);
  }

  async stop(): Promise<void> {
    this.buyers?.close();
    await this.#node?.stop();
    this.#node = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.folder.remove();
  }

  async start(): Promise<void> {
    const flags = { data: this.folder.path, transport: 'node', ...this.#flags };
    const tuning = { foldIntervalMs: FOLD_INTERVAL_MS, segmentBytes: SEGMENT_BYTES, compaction: SMALL_RUNS };
    this.#node = await startInProcess(flags, tuning);
    this.operator = new CheckedOperatorClient(this.#node.operatorUrl, this.#node.operatorToken);
    this.buyers = new BuyerClient(this.#node.buyerUrl);
  }
}
