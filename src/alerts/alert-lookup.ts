/**
 * Looks up the hosts of all `--alert-url`, one at a time.
 *
 * A look-up blocks a thread of the pool that the journal's commits need, and can't be cancelled: so there is never more
 * than one. Requests that come meanwhile take the address at which the host was found before, or wait for their turn.
 * So a name that can't be looked up delays no other endpoint that was reached once. The system's resolver and not
 * c-ares, because an operator's endpoint may be named in the hosts file only.
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Found = Parameters<Parameters<LookupFunction>[2]>;

export function oneLookupAtATime(lookUp: typeof lookup = lookup): LookupFunction {
  /** The latest result for each host. Hosts are those of the option, so it is bounded. */
  const known = new Map<string, Found>();
  const waiting: (() => void)[] = [];
  let isLookingUp = false;
  const ended = (): void => {
    isLookingUp = false;
    waiting.shift()?.();
  };
  const look: LookupFunction = (host, options, done) => {
    if (isLookingUp) {
      const before = known.get(host);
      if (before === undefined) waiting.push(() => look(host, options, done));
      else process.nextTick(() => done(...before));
      return;
    }
    isLookingUp = true;
    lookUp(host, options, (...found) => {
      if (found[0] === null) known.set(host, found);
      ended();
      done(...found);
    });
  };
  return look;
}
