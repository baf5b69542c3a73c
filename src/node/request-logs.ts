/**
 * The logs of a node's requests: failures go into its log, and with `--access-log` every request into a file.
 */
import type { Logger } from 'pino';
import { AccessLog, type AccessLogCounters } from '../access-log/access-log.ts';
import { FailureLog } from '../alerts/failure-log.ts';
import type { Config } from '../config/config.ts';
import type { ApiError } from '../http/errors.ts';
import type { ClientAddresses } from '../http/limits/client-address.ts';
import type { EndedRequest, Exchange, OnEnded } from '../http/transport/transport.ts';
import type { ListenerName } from '../metrics/request-meter.ts';

const NO_LINES: AccessLogCounters = { lines: 0, lost: 0 };

export class RequestLogs {
  readonly #failures: FailureLog;
  readonly #access: AccessLog | undefined;

  private constructor(failures: FailureLog, access: AccessLog | undefined) {
    this.#failures = failures;
    this.#access = access;
  }

  /** Rejects with an error that says what to do when the access log can't be opened. */
  static async open({ accessLog: file }: Config, log: Logger): Promise<RequestLogs> {
    return new RequestLogs(
      new FailureLog(log),
      file === undefined ? undefined : await AccessLog.open(file, log),
    );
  }

  readonly onFault = (error: unknown, request?: EndedRequest): void => this.#failures.fault(error, request);

  readonly onFailed = (error: ApiError, status: number, request: EndedRequest): void =>
    this.#failures.failed(error, status, request);

  readonly onCrowded = (connections: number): void => this.#failures.crowded(connections);

  /** Undefined without an access log, so that no request does anything for it. */
  onEnded(listener: ListenerName): OnEnded | undefined {
    return this.#access?.listener(listener);
  }

  /** The function that notes the address of a request; undefined without an access log. */
  noteAddress(clientAddresses: ClientAddresses): ((exchange: Exchange) => void) | undefined {
    const access = this.#access;
    if (access === undefined) return undefined;
    return (exchange) => {
      if (access.takeAddress()) clientAddresses.of(exchange);
    };
  }

  get accessLogCounters(): AccessLogCounters {
    return this.#access?.counters ?? NO_LINES;
  }

  /** Another program has renamed the access log's file. */
  reopen(): void {
    this.#access?.reopen();
  }

  /** Nothing is told after it. */
  async stop(): Promise<void> {
    await this.#access?.stop();
    this.#failures.stop();
  }
}
