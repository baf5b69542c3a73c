import { BuyerClient } from '../../support/buyer-client.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import type { OperatorClient } from '../../support/operator-client.ts';
import { type PurserProcess, type StartPurserOptions, startPurser } from '../../support/purser-process.ts';

/** A server that will be mistreated, with the clients that talk to it while it lasts. */
export interface ServerUnderTest {
  readonly process: PurserProcess;
  readonly buyers: BuyerClient;
  readonly operator: OperatorClient;
  /** SIGTERM; throws unless it exits with 0. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export async function startServer(options: StartPurserOptions): Promise<ServerUnderTest> {
  return underTest(await startPurser(options));
}

export function underTest(process: PurserProcess): ServerUnderTest {
  const buyers = new BuyerClient(process.buyerUrl);
  return {
    process,
    buyers,
    operator: new CheckedOperatorClient(process.operatorUrl, process.operatorToken),
    stop: async () => {
      buyers.close();
      const code = await process.stop();
      if (code !== 0) throw new Error(`the server exited with ${code}:\n${process.output()}`);
    },
    kill: async () => {
      await process.kill();
      buyers.close();
    },
  };
}
