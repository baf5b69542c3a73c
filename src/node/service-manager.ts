/**
 * Messages to systemd about the node: that it is ready, that it is well, that it stops. Nothing where no
 * `NOTIFY_SOCKET` is.
 *
 * By the program `systemd-notify`, because Node has no datagram sockets of the Unix kind; the unit needs
 * `NotifyAccess=all` for that. The program gets of the node's environment, which has secrets, only the variables that
 * it needs.
 */
import { execFile } from 'node:child_process';
import type { Logger } from 'pino';

const PROGRAM = 'systemd-notify';
/** The time for `systemd-notify`, which waits until systemd has read the message. */
const PATIENCE_MS = 10_000;

export interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly log: Pick<Logger, 'warn'>;
}

export class ServiceManager {
  readonly #options: ServiceManagerOptions;
  readonly #intervalMs: number | undefined;

  constructor(options: ServiceManagerOptions) {
    this.#options = options;
    this.#intervalMs = watchdogIntervalMs(options);
  }

  /** Tells systemd that the node's ports are open. From here on systemd hears that it is well, for as long as it is. */
  ready(isHealthy: () => boolean): void {
    this.#tell('--ready');
    if (this.#intervalMs === undefined) return;
    setInterval(() => {
      if (isHealthy()) this.#tell('WATCHDOG=1');
      else this.#options.log.warn('the node is not well, and systemd is not told otherwise');
    }, this.#intervalMs).unref();
  }

  /** The drain has begun. The node goes on telling that it is well. */
  stopping(): void {
    this.#tell('STOPPING=1');
  }

  #tell(word: string): void {
    const { env, log } = this.#options;
    const { NOTIFY_SOCKET, PATH } = env;
    if (!NOTIFY_SOCKET) return;
    const needed = { NOTIFY_SOCKET, ...(PATH === undefined ? {} : { PATH }) };
    execFile(PROGRAM, [word], { env: needed, timeout: PATIENCE_MS }, (error) => {
      if (error !== null) log.warn(`systemd could not be told ${word}: ${error.message.split('\n', 1)[0]}`);
    });
  }
}

/** Half of what systemd waits for; undefined when it waits for nothing, or not for this process. */
function watchdogIntervalMs({ env, pid }: ServiceManagerOptions): number | undefined {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = env;
  const microseconds = Number(WATCHDOG_USEC);
  if (!NOTIFY_SOCKET || !(microseconds > 0)) return undefined;
  return WATCHDOG_PID && WATCHDOG_PID !== String(pid) ? undefined : Math.max(1, microseconds / 2_000);
}
