/**
 * `purser bot` as a process, which goes on at the same state whenever it was killed. One that ends by itself fails the test.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningCommand, startCommand } from '../../support/nodes/purser-command.ts';
import { BOT_TOKEN } from '../../support/telegram/bot-api.ts';

export interface BotPlace {
  readonly folder: string;
  readonly telegramUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
}

export class BotProcess {
  kills = 0;
  /** How it ended by itself. */
  failure: string | undefined;
  readonly #args: readonly string[];
  #running: RunningCommand | undefined;
  #isOver = false;
  #ended: Promise<void> = Promise.resolve();

  private constructor(args: readonly string[]) {
    this.#args = args;
  }

  static async start({ folder, telegramUrl, operatorUrl, operatorToken }: BotPlace): Promise<BotProcess> {
    await mkdir(folder, { recursive: true });
    const [telegramFile, operatorFile] = [join(folder, 'telegram-token'), join(folder, 'operator-token')];
    await writeFile(telegramFile, `${BOT_TOKEN}\n`, { mode: 0o600 });
    await writeFile(operatorFile, `${operatorToken}\n`, { mode: 0o600 });
    const bot = new BotProcess([
      'bot',
      ...['--telegram-token-file', telegramFile, '--telegram-api', telegramUrl],
      ...['--operator', operatorUrl, '--token-file', operatorFile],
      ...['--state', join(folder, 'state')],
    ]);
    bot.#spawn();
    return bot;
  }

  get isAlive(): boolean {
    return this.#running !== undefined;
  }

  /** SIGKILL, at once; another process follows. False when there was none to kill. */
  kill(): boolean {
    if (this.#running === undefined) return false;
    this.#running.child.kill('SIGKILL');
    this.#running = undefined;
    this.kills += 1;
    return true;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#running?.child.kill('SIGTERM');
    await this.#ended;
  }

  #spawn(): void {
    const running = startCommand(this.#args);
    this.#running = running;
    this.#ended = running.ended.then((outcome) => {
      const wasKilled = this.#running !== running;
      if (!wasKilled) this.#running = undefined;
      if (!wasKilled && !this.#isOver) this.failure ??= `the bot ended: ${JSON.stringify(outcome)}`;
      else if (!this.#isOver) this.#spawn();
    });
  }
}
