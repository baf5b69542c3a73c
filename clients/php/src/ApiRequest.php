<?php

declare(strict_types=1);

namespace Purser;

/** The request of one call, the same in all attempts. */
final class ApiRequest
{
    /** @param array<string, string> $headers */
    public function __construct(
        public readonly string $method,
        /** Below the base address. */
        public readonly string $path,
        public readonly array $headers = [],
        public readonly ?string $body = null,
        /** False for what needs no key, so that it isn't sent. */
        public readonly bool $authenticated = true,
        public readonly ?int $timeoutMs = null,
        /** Of a purchase. */
        public readonly ?string $idempotencyKey = null,
        /** Before the first attempt; 'unknown' when the key may have been used before. */
        public readonly false|string $isCharged = false,
    ) {
    }
}
