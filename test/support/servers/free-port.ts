/**
 * A port that a test has to know beforehand, or needs again. Such ports lie below those that systems give away by
 * themselves, so that nobody's connection takes it while the listener is away.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST = 10_000;
/** Where Linux begins; others begin later. */
const BEYOND = 32_768;
const TRIES = 50;

export async function freePort(): Promise<number> {
  for (let left = TRIES; ; left -= 1) {
    const port = randomInt(LOWEST, BEYOND);
    const probe = createServer();
    try {
      // On every address, because some tests listen there.
      await Promise.all([once(probe, 'listening'), probe.listen(port, '0.0.0.0')]);
      await Promise.all([once(probe, 'close'), probe.close()]);
      return port;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
