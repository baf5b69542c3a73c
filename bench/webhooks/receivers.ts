/**
 * The receivers of a run, as their parent sees them: a process that plays all of them, at one address with a host
 * name, a path and connections for each; the authority that certifies them and the name server that knows them.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DnsServer } from '../../test/support/servers/dns-server.ts';
import { WEBHOOK_PORT } from '../../test/support/servers/loopback-listener.ts';
import { TestAuthority } from '../../test/support/servers/test-authority.ts';
import type { CheckedReceipt, FromReceivers, ToReceivers } from './receiver-messages.ts';

const DOMAIN = 'receivers.test';
const ANSWER_TIMEOUT_MS = 120_000;

export class Receivers {
  /** PEM; the node must trust it. */
  readonly authorityFile: string;
  readonly dns: DnsServer;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, dns: DnsServer, authorityFile: string) {
    this.#child = child;
    this.dns = dns;
    this.authorityFile = authorityFile;
  }

  /** Starts `count` receivers; their certificate lies in `folder`. */
  static async start(folder: string, count: number): Promise<Receivers> {
    const authority = new TestAuthority();
    const { key, cert } = authority.issue([`*.${DOMAIN}`]);
    const files = { keyFile: join(folder, 'receivers.key'), certFile: join(folder, 'receivers.crt') };
    const authorityFile = join(folder, 'authority.crt');
    await writeFile(files.keyFile, key);
    await writeFile(files.certFile, cert);
    await writeFile(authorityFile, authority.certificate);
    const program = new URL(`./receiver-server${import.meta.filename.slice(-3)}`, import.meta.url);
    const child = fork(fileURLToPath(program), { serialization: 'advanced' });
    const receivers = new Receivers(child, await DnsServer.start(), authorityFile);
    const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    await receivers.#ask({ kind: 'listen', host, ...files });
    for (let number = 0; number < count; number += 1) {
      receivers.dns.set(hostOf(number), [{ type: 'A', data: host }]);
    }
    return receivers;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  urlOf(receiver: number): string {
    return `https://${hostOf(receiver)}:${WEBHOOK_PORT}/${receiver}`;
  }

  /** One for each receiver, in their order. */
  async setSecrets(secrets: readonly string[]): Promise<void> {
    await this.#ask({ kind: 'secrets', secrets });
  }

  /** Makes the receivers below that number take requests from now on and never answer. */
  async hang(below: number): Promise<void> {
    await this.#ask({ kind: 'hang', below });
  }

  /** Deliveries received since the last `collect`, by those that answer. */
  async count(): Promise<number> {
    const answer = await this.#ask({ kind: 'count' });
    return answer.kind === 'counted' ? answer.count : Number.NaN;
  }

  /** The receipts since the last call, in the order of their arrival. */
  async collect(): Promise<CheckedReceipt[]> {
    const receipts: CheckedReceipt[] = [];
    let answer = await this.#ask({ kind: 'collect' });
    while (answer.kind === 'receipts' && answer.receipts.length > 0) {
      receipts.push(...answer.receipts);
      answer = await this.#ask({ kind: 'more' });
    }
    return receipts;
  }

  async stop(): Promise<void> {
    this.dns.stop();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.send({ kind: 'stop' } satisfies ToReceivers);
    await exited;
  }

  async #ask(message: ToReceivers): Promise<FromReceivers> {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const answered = once(this.#child, 'message', { signal });
    this.#child.send(message);
    const [answer] = (await answered) as [FromReceivers];
    if (answer.kind === 'failed') throw new Error(`receivers: ${answer.message}`);
    return answer;
  }
}

function hostOf(receiver: number): string {
  return `r${receiver}.${DOMAIN}`;
}
