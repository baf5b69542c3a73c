/**
 * Listens on the port that webhooks may use, 8443, so that what is tested needs no back door for tests.
 *
 * The address is a random one of 127.0.0.0/8, so that many receivers, and many runs of the tests at once, don't
 * meet; where only 127.0.0.1 is a loopback address, that.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { platform } from 'node:process';

export const WEBHOOK_PORT = 8_443;
const TRIES = 20;

/** The address that `server` listens on. */
export async function listenOnLoopback(server: Server): Promise<string> {
  for (let left = TRIES; ; left -= 1) {
    const address = platform === 'linux' ? randomAddress() : '127.0.0.1';
    try {
      await Promise.all([once(server, 'listening'), server.listen(WEBHOOK_PORT, address)]);
      return address;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

function randomAddress(): string {
  return `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
}
