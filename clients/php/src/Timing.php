<?php

declare(strict_types=1);

namespace Purser;

/** Clock, waits and random numbers of the client; tests replace them. */
class Timing
{
    private const FIRST_BACKOFF_MS = 1_000;
    private const LONGEST_BACKOFF_MS = 60_000;
    /** On top, so that programs which failed together don't come back together. */
    private const JITTER_SHARE = 0.25;

    /** Unix milliseconds. */
    public function now(): int
    {
        return (int) (microtime(true) * 1_000);
    }

    public function sleep(int $delayMs): void
    {
        usleep($delayMs * 1_000);
    }

    /** Uniform in [0, 1). */
    public function random(): float
    {
        return mt_rand() / (mt_getrandmax() + 1);
    }

    /** After the failed attempt number `$attempt`: 1 s, 2 s, 4 s …, a quarter more at most, never too early. */
    public function retryDelayMs(int $attempt, int $retryAfterSeconds = 0): int
    {
        $backoffMs = min(self::FIRST_BACKOFF_MS * 2 ** ($attempt - 1), self::LONGEST_BACKOFF_MS);
        $atLeastMs = max($backoffMs, $retryAfterSeconds * 1_000);
        return (int) ceil($atLeastMs + $backoffMs * self::JITTER_SHARE * $this->random());
    }
}
