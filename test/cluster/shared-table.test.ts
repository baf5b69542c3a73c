/** The simulated table keeps the contract of the shared log's table, so what stands above may be proved with it. */
import type { SharedTable } from '../../src/cluster/shared-table.ts';
import { type DatabaseUnderTest, proveContract } from './shared-table-contract.ts';
import { SimulatedDatabase } from './simulated-table.ts';

class Simulated implements DatabaseUnderTest {
  #database = new SimulatedDatabase();

  open(): SharedTable {
    return this.#database.open();
  }

  async hold(isHeld: boolean): Promise<void> {
    this.#database.isHolding = isHeld;
    if (!isHeld) this.#database.confirmAll();
  }

  async waiting(): Promise<number> {
    return this.#database.waiting;
  }

  async replicateAsynchronously(isSo: boolean): Promise<void> {
    this.#database.isAsynchronous = isSo;
  }

  async endWaits(): Promise<void> {
    this.#database.breakConnections();
  }

  async clear(): Promise<void> {
    this.#database = new SimulatedDatabase();
  }

  async close(): Promise<void> {}
}

proveContract('the simulated one', async () => new Simulated());
