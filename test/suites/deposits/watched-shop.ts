/** A node, a chain and a watcher of it, each a process of its own, that can be killed and started again. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTRACT } from '../../cli/deposits/scripted-chain.ts';
import {
  type CommandOutcome,
  type RunningCommand,
  runCommand,
  startCommand,
} from '../../support/nodes/purser-command.ts';
import { type PurserProcess, startPurser } from '../../support/nodes/purser-process.ts';
import { OperatorClient } from '../../support/operator-client.ts';
import { freePort } from '../../support/servers/free-port.ts';

export class WatchedShop {
  readonly operator: OperatorClient;
  watcher: RunningCommand | undefined;
  readonly #folder: string;
  readonly #chainUrl: string;
  readonly #flags: readonly string[];
  #node: PurserProcess;

  private constructor(folder: string, chainUrl: string, flags: readonly string[], node: PurserProcess) {
    this.#folder = folder;
    this.#chainUrl = chainUrl;
    this.#flags = flags;
    this.#node = node;
    this.operator = new OperatorClient(node.operatorUrl, node.operatorToken);
  }

  static async open(folder: string, chainUrl: string, addresses: readonly string[]): Promise<WatchedShop> {
    // The same port after a kill: the watcher goes on.
    const flags = [
      ...['--operator-port', String(await freePort()), '--deposit-window', '7d'],
      ...addresses.flatMap((address) => ['--deposit-address', `trc20=${address}`]),
    ];
    const node = await startPurser({ dataDir: join(folder, 'shop'), flags });
    const shop = new WatchedShop(folder, chainUrl, flags, node);
    const { text } = await shop.operator.json('POST', '/operators', { name: 'watcher', role: 'finance' });
    await writeFile(join(folder, 'token'), JSON.parse(text).token);
    return shop;
  }

  get #target(): string[] {
    return [
      ...['--network', 'trc20', '--api', this.#chainUrl, '--contract', CONTRACT],
      ...['--operator', this.#node.operatorUrl, '--token-file', join(this.#folder, 'token')],
    ];
  }

  get #watch(): string[] {
    return ['deposits', 'watch', ...this.#target, '--state', join(this.#folder, 'watcher')];
  }

  startWatcher(more: readonly string[], environment: Readonly<Record<string, string>> = {}): RunningCommand {
    this.watcher = startCommand([...this.#watch, ...more], environment);
    return this.watcher;
  }

  /** A second one on the same folder, to its end. */
  secondWatcher(): Promise<CommandOutcome> {
    return runCommand(this.#watch);
  }

  async killWatcher(): Promise<CommandOutcome | undefined> {
    this.watcher?.child.kill('SIGKILL');
    const outcome = await this.watcher?.ended;
    this.watcher = undefined;
    return outcome;
  }

  async stopWatcher(): Promise<CommandOutcome | undefined> {
    this.watcher?.child.kill('SIGTERM');
    const outcome = await this.watcher?.ended;
    this.watcher = undefined;
    return outcome;
  }

  async killNode(): Promise<void> {
    await this.#node.kill();
    this.#node = await startPurser({ dataDir: join(this.#folder, 'shop'), flags: this.#flags });
  }

  audit(): Promise<CommandOutcome> {
    const period = ['--from', '2000-01-01', '--until', '2100-01-01', '--json'];
    return runCommand(['deposits', 'audit', ...this.#target, ...period]);
  }

  async #rows(path: string, name: string): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    let cursor = '';
    do {
      const { text } = await this.operator.json('GET', `${path}limit=1000${cursor}`);
      const page = JSON.parse(text);
      rows.push(...page[name]);
      cursor = page.nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
    } while (cursor !== '');
    return rows;
  }

  /** By account, in micro-USDT; accounts without money are left out. */
  async wallets(): Promise<Map<number, number>> {
    const accounts = await this.#rows('/accounts?', 'accounts');
    const micros = accounts.map(
      (row) => [Number(row.accountId), Math.round(Number(row.balanceUsdt) * 1e6)] as const,
    );
    return new Map(micros.filter(([, amount]) => amount !== 0));
  }

  /** References. */
  async unclaimed(): Promise<Set<string>> {
    const rows = await this.#rows('/deposits?state=unclaimed&', 'deposits');
    return new Set(rows.map(({ reference }) => String(reference)));
  }

  async stop(): Promise<void> {
    await this.killWatcher();
    await this.#node.kill();
  }
}
