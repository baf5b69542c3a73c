/** A server under load, as much of it as the benchmark needs; and how one is started. */
export interface RunningNode {
  /** Ends with `/api/v1/buyer`. */
  readonly buyerUrl: string;
  /** Ends with `/operator/v1`. */
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly pid: number;
  /** Resolves once it has exited by itself. */
  stop(): Promise<unknown>;
  /** Resolves once it has been killed. */
  kill(): Promise<void>;
}

/** Resolves when the server accepts requests. */
export type StartNode = (dataDir: string) => Promise<RunningNode>;
