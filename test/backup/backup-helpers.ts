/** The beginnings of tests of shipping. */
import { CleanEndMark } from '../../src/backup/clean-end/clean-end-mark.ts';
import { Retrying } from '../../src/backup/retrying.ts';
import type { ContinuousShipping } from '../../src/backup/shipping/continuous-shipping.ts';
import { Shipment } from '../../src/backup/shipping/shipment.ts';
import { FolderParts, type ShippedFolder } from '../../src/backup/shipping/shipped-folder.ts';
import { shipOn } from '../../src/backup/shipping/shipping-on.ts';
import { backUp } from '../../src/backup/shipping/single-backup.ts';
import type { BackupTarget } from '../../src/backup/target/backup-target.ts';
import type { Manifest } from '../../src/backup/target-layout.ts';
import { WriteGate } from '../../src/threads/write-gate.ts';
import { eventually } from '../support/eventually.ts';
import type { WrittenFolder } from './written-folder.ts';

export function retryingFor(patienceMs: number, signal = new AbortController().signal): Retrying {
  return new Retrying({ signal, patienceMs, onTrouble: () => {}, firstPauseMs: 1 });
}

/** As a running node's thread has it. */
export function shippedFolder({ path, ring }: WrittenFolder, epoch = 1): ShippedFolder {
  const fork = epoch === 1 ? null : { epoch: epoch - 1, position: { seq: 0, hash: '00'.repeat(32) } };
  return {
    runner: { shop: ring.shop, epoch, fork },
    keys: ring.keys,
    parts: new FolderParts(path, ring.keys, new WriteGate()),
    ring: () => ring.backupCopy(),
  };
}

/** A single backup to `target`. */
export function backedUp(
  written: WrittenFolder,
  target: BackupTarget,
  { epoch = 1, retrying = retryingFor(0) } = {},
): Promise<Manifest> {
  const shipped = shippedFolder(written, epoch);
  return using(shipped, () => backUp({ folder: shipped, target, retrying, rest: 0, clock: Date.now }));
}

/** A run of a node at `target`, which ends after `use`. `begun`: of a restored folder, when it was restored. */
export function withShipment(
  written: WrittenFolder,
  target: BackupTarget,
  { epoch = 1, begun }: { epoch?: number; begun?: number } = {},
  use: (shipment: Shipment) => Promise<unknown> = async () => {},
): Promise<void> {
  const shipped = shippedFolder(written, epoch);
  const runner = { ...shipped.runner, ...(begun !== undefined && { begun }) };
  const options = { target, retrying: retryingFor(0), rest: 0, clock: Date.now };
  return using(shipped, async () => {
    const shipment = await Shipment.begin({ ...options, folder: { ...shipped, runner } });
    await use(shipment);
    await shipment.close();
  });
}

async function using<Result>({ parts }: ShippedFolder, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } finally {
    await parts.close();
  }
}

/** The shipping of one process. */
export class Process {
  /** The last fact that is said to be at the target. */
  shipped = 0;
  /** Why nothing is shipped any more. */
  failure: unknown;
  shipping: ContinuousShipping | undefined;
  /** How often the target had lost what was there. */
  losses = 0;
  /** Objects that are not as the shop wrote them. */
  readonly altered = new Set<string>();
  readonly #killed = new AbortController();
  readonly #folder: ShippedFolder;
  #running: Promise<void> = Promise.resolve();
  #gone: Promise<void> | undefined;

  constructor(
    written: WrittenFolder,
    target: BackupTarget,
    { intervalMs = 5, baseMs = 60_000, epoch = 1, lookForOthersMs = 20 } = {},
  ) {
    this.#folder = shippedFolder(written, epoch);
    const retrying = () => retryingFor(Number.POSITIVE_INFINITY, this.#killed.signal);
    this.#running = shipOn({
      folder: this.#folder,
      target,
      retrying: { base: retrying(), log: retrying() },
      intervalMs,
      baseMs,
      keepMs: 60_000,
      clock: Date.now,
      mark: new CleanEndMark(written.path),
      onShipped: ({ position }) => {
        this.shipped = position;
      },
      lookForOthersMs,
      onAltered: (name) => this.altered.add(name),
      onBegun: (shipping) => {
        this.shipping = shipping;
      },
      onLost: () => {
        this.losses += 1;
      },
    }).catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Rejects at once when nothing is shipped any more. */
  until(isSo: () => boolean, what = 'it is shipped'): Promise<void> {
    return eventually(what, () => {
      const isThere = isSo();
      if (!isThere && this.failure !== undefined) throw new Error(`not ${what}`, { cause: this.failure });
      return isThere;
    });
  }

  /** May be called again. */
  kill(): Promise<void> {
    this.#gone ??= this.#end();
    return this.#gone;
  }

  async #end(): Promise<void> {
    this.#killed.abort(new Error('killed'));
    await this.#running;
    await this.shipping?.close().catch(() => undefined);
    await this.#folder.parts.close();
  }

  /** A clean end. */
  async stop(): Promise<void> {
    await this.shipping?.finish();
    await this.kill();
  }
}
