<?php

declare(strict_types=1);

namespace Purser;

/**
 * What is sent again by itself, and what is known of the money. The charge is `none` (nothing was charged under the
 * key), `not-now` (not by this request), or `unknown`.
 */
final class ErrorPolicy
{
    private const UNKNOWN = 'unknown';

    /** @var array<string, array{bool, string}> */
    private const POLICIES = [
        'BAD_REQUEST' => [false, 'not-now'],
        'UNAUTHORIZED' => [false, 'not-now'],
        'INSUFFICIENT_BALANCE' => [false, 'none'],
        'FORBIDDEN' => [false, 'not-now'],
        'NOT_FOUND' => [false, 'not-now'],
        'PRICE_CHANGED' => [false, 'none'],
        'OUT_OF_STOCK' => [false, 'none'],
        'IDEMPOTENCY_CONFLICT' => [false, self::UNKNOWN],
        'IDEMPOTENCY_UNRESOLVED' => [false, 'none'],
        'DELIVERY_NOT_READY' => [false, 'not-now'],
        'WEBHOOK_SECRET_UNREADABLE' => [false, 'not-now'],
        'EVENTS_GONE' => [false, 'not-now'],
        'RATE_LIMITED' => [true, 'not-now'],
        'INTERNAL_ERROR' => [true, self::UNKNOWN],
        'PURCHASE_FAILED' => [true, 'none'],
        'PROVIDER_TIMEOUT' => [false, 'none'],
        'DELIVERY_UNAVAILABLE' => [true, 'not-now'],
        'SALES_CLOSED' => [true, 'none'],
        'NOT_LEADING' => [true, self::UNKNOWN],
        'NETWORK_ERROR' => [true, self::UNKNOWN],
        'TIMEOUT' => [true, self::UNKNOWN],
        'REDIRECTED' => [false, self::UNKNOWN],
        'STILL_PENDING' => [false, 'not-now'],
    ];

    public static function isRetried(Failure $failure): bool
    {
        return self::of($failure)[0];
    }

    /** Whether the next address is asked at once: here is no node that leads, or nothing that is Purser. */
    public static function isAnotherAsked(Failure $failure): bool
    {
        if ($failure->errorCode === 'NOT_LEADING' || ($failure->status === 503 && $failure->namesLeader)) {
            return true;
        }
        $isForeign = in_array($failure->errorCode, ['NETWORK_ERROR', 'TIMEOUT', 'BAD_RESPONSE'], true);
        return $isForeign && $failure->status !== 429 && self::isRetried($failure);
    }

    /**
     * The verdict after an attempt: the one before it, and the answers since.
     *
     * @param list<Failure> $failures
     */
    public static function chargedAfter(false|string $before, array $failures): false|string
    {
        foreach ($failures as $failure) {
            $charge = self::of($failure)[1];
            if ($charge !== 'not-now') {
                $before = $charge === 'none' ? false : self::UNKNOWN;
            }
        }
        return $before;
    }

    /**
     * BAD_RESPONSE and codes of a later server go by their status: a proxy's 502 is like a broken connection.
     *
     * @return array{bool, string}
     */
    private static function of(Failure $failure): array
    {
        $status = $failure->status ?? 0;
        return self::POLICIES[$failure->errorCode] ?? match (true) {
            $status === 429 => self::POLICIES['RATE_LIMITED'],
            $status >= 500, $status >= 200 && $status < 300 => [true, self::UNKNOWN],
            default => [false, self::UNKNOWN],
        };
    }
}
