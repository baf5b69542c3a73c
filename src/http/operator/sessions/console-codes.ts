/**
 * Codes that open the console: each works once, within a minute, and then somebody is signed in whose token the browser
 * never sees. They are in memory alone: a restart costs another `purser console`.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Caller } from '../caller.ts';

export const CODE_MS = 60_000;
const MAX_CODES_OF_OPERATOR = 8;
const CODE_PREFIX = 'poc_';

interface Given {
  readonly caller: Caller;
  readonly reason: string | undefined;
  readonly endMs: number;
}

export class ConsoleCodes {
  /** Codes by their SHA-256, the oldest first. */
  readonly #given = new Map<string, Given>();
  readonly #monotonicMs: () => number;

  /** Milliseconds that never go backwards. */
  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** A code for a caller with a token; too many of an operator push out his oldest. `reason`: why he signs in. */
  give(caller: Caller, reason: string | undefined): string {
    const nowMs = this.#monotonicMs();
    for (const [sha256, { endMs }] of this.#given) if (endMs <= nowMs) this.#given.delete(sha256);
    const own = [...this.#given].filter(([, given]) => given.caller.operatorId === caller.operatorId);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= MAX_CODES_OF_OPERATOR) this.#given.delete(oldest[0]);
    const code = CODE_PREFIX + randomBytes(24).toString('hex');
    this.#given.set(hash('sha256', code), { caller, reason, endMs: nowMs + CODE_MS });
    return code;
  }

  /** The operator whose code it is, once; undefined when the code works no more, or never did. */
  take(code: string): Omit<Given, 'endMs'> | undefined {
    const sha256 = hash('sha256', code);
    const given = this.#given.get(sha256);
    this.#given.delete(sha256);
    return given !== undefined && this.#monotonicMs() < given.endMs ? given : undefined;
  }
}
