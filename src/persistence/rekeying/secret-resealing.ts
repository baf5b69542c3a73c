/**
 * Seals the secrets of webhooks and suppliers anew, by facts: each says the same secret, sealed with the newest data key.
 *
 * Invariant: a secret that was replaced meanwhile stays replaced, because the command names the one that it stands for.
 * When `run` resolves, the state has no secret that an older key sealed, and that is durable; and no command waits that
 * could bring one. Secrets are sealed in the turn that submits them, so only a command that waited when `run` began can
 * bring one, and commands of an account keep their order: another one, for each account that has any waiting, is
 * answered after them. (Those without an account, as of suppliers, have a mailbox of their own.) Rejected: to look
 * until no command waits, which a busy node may never see.
 */
import type { Command } from '../../engine/command.ts';
import type { Engine } from '../../engine/engine.ts';
import { Rejection } from '../../engine/rejection.ts';
import type { SecretCipher } from '../disk/secret-cipher.ts';

/** Facts that are under way at once: they share a group. */
const AT_ONCE = 16;
/** Accounts that are looked at before others have their turn: less than a millisecond. */
const BITE_ACCOUNTS = 256;

/** The journal has no room for a fact. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError';
}

/** Rests after work that took so long and looked at so many. Rejects when it is to stop. */
export type Rest = (workedMs: number, looked: number) => Promise<void>;

export interface SecretResealingOptions {
  readonly engine: Engine;
  readonly webhookSecrets: SecretCipher;
  readonly supplierSecrets: SecretCipher;
}

/** The command's fields that change nothing: it only waits for its turn. */
const NOTHING = { before: '', sealedSecret: '' } as const;

type Reseal = Extract<Command, { readonly kind: 'ResealWebhook' | 'ResealSupplier' }>;

export class SecretResealing {
  readonly #options: SecretResealingOptions;

  constructor(options: SecretResealingOptions) {
    this.#options = options;
  }

  /** How many accounts and suppliers are looked at. */
  get size(): number {
    const { accounts, suppliers } = this.#options.engine.state;
    return accounts.size + suppliers.size;
  }

  /** Rejects with `NoRoomError`, or with what `rest` does. */
  async run(rest: Rest): Promise<void> {
    const { engine } = this.#options;
    let mayWait = true;
    for (let isFirst = true; ; isFirst = false) {
      const { state } = engine;
      const { sent, refused } = await this.#pass(mayWait, (workedMs, looked) =>
        rest(workedMs, isFirst ? looked : 0),
      );
      mayWait &&= refused > 0;
      const isDurable = await new Promise<boolean>((resolve) => engine.whenDurable(resolve));
      // A full disk takes back facts that were not durable, and with them what the pass has seen.
      if (sent === 0 && isDurable && engine.state === state) return;
    }
  }

  /** `mayWait`: commands from before the new key. Says how many commands were sent, and how many of them refused. */
  async #pass(mayWait: boolean, rest: Rest): Promise<{ readonly sent: number; readonly refused: number }> {
    let sent = 0;
    let refused = 0;
    let commands: Reseal[] = [];
    let looked = 0;
    const send = async () => {
      const begunMs = performance.now();
      const done = await Promise.all(commands.map((command) => this.#submit(command)));
      sent += done.length;
      refused += done.filter((isTaken) => !isTaken).length;
      commands = [];
      await rest(performance.now() - begunMs, looked);
      looked = 0;
    };
    for (const command of this.#commands(mayWait)) {
      looked += 1;
      if (command !== undefined) commands.push(command);
      if (commands.length === AT_ONCE || looked === BITE_ACCOUNTS) await send();
    }
    await send();
    return { sent, refused };
  }

  /** One for each row that is looked at; undefined where nothing is to do. */
  *#commands(mayWait: boolean): IterableIterator<Reseal | undefined> {
    const { engine, webhookSecrets, supplierSecrets } = this.#options;
    for (let accountId = 1; accountId < engine.state.accounts.nextId; accountId += 1) {
      const before = engine.state.accounts.get(accountId)?.webhook?.sealedSecret;
      const sealedSecret = before && webhookSecrets.sealAnew(before, accountId);
      if (before && sealedSecret) yield { kind: 'ResealWebhook', accountId, before, sealedSecret };
      else if (mayWait && engine.hasWaiting(accountId))
        yield { kind: 'ResealWebhook', accountId, ...NOTHING };
      else yield undefined;
    }
    if (mayWait) yield { kind: 'ResealSupplier', supplierId: 0, ...NOTHING };
    for (let supplierId = 1; supplierId < engine.state.suppliers.nextId; supplierId += 1) {
      const before = engine.state.suppliers.get(supplierId)?.profile.sealedSecret;
      const sealedSecret = before && supplierSecrets.sealAnew(before);
      yield before && sealedSecret ? { kind: 'ResealSupplier', supplierId, before, sealedSecret } : undefined;
    }
  }

  /** False when there were too many commands: another pass looks again. */
  #submit(command: Reseal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#options.engine.submit(command, (result) => {
        if (!(result instanceof Rejection)) resolve(true);
        else if (result.code === 'RATE_LIMITED') resolve(false);
        else reject(new NoRoomError(result.message));
      });
    });
  }
}
