<?php

declare(strict_types=1);

namespace Purser;

/**
 * One call of the API: the same request, byte for byte, until it is answered or it makes no sense to go on.
 *
 * Always holds: a purchase keeps its key in every attempt; nothing is sent to another address than the base addresses.
 * An attempt asks each address at most once, one after the other, and all in the time of one. Nothing trusts that it was
 * Purser who answered: there may be proxies with pages of their own.
 */
final class ApiCaller
{
    private readonly Transport $transport;

    /** @param (\Closure(string $method, string $path, int $delayMs, PurserError $error): void)|null $onRetry */
    public function __construct(
        private readonly Addresses $addresses,
        #[\SensitiveParameter]
        private readonly string $apiKey,
        public readonly int $timeoutMs,
        public readonly int $maxAttempts,
        private readonly int $maxRetryAfterMs,
        private readonly ?\Closure $onRetry,
        public readonly Timing $timing,
    ) {
        $this->transport = new Transport();
    }

    /** So that dumps show no key. */
    public function __debugInfo(): array
    {
        return [];
    }

    /**
     * The body of the success.
     *
     * @return array<string, mixed>
     * @throws PurserError
     */
    public function json(ApiRequest $request): array
    {
        return $this->retrying($request, null, static function (HttpAnswer $answer): array {
            $body = self::object($answer);
            return ($body['success'] ?? null) === true ? $body : throw self::foreign($answer);
        });
    }

    /**
     * The head of the success, whose body went to `$receive`. What breaks off after its first piece is not asked for
     * again: then `Failure` is thrown.
     *
     * @param \Closure(HttpAnswer, string): void $receive
     * @throws PurserError|Failure
     */
    public function stream(ApiRequest $request, \Closure $receive): HttpAnswer
    {
        return $this->retrying($request, $receive, static fn (HttpAnswer $answer): HttpAnswer => $answer);
    }

    private function retrying(ApiRequest $request, ?\Closure $receive, \Closure $read): mixed
    {
        $attempts = 0;
        $isCharged = $request->isCharged;
        for ($attempt = 1;; $attempt += 1) {
            $failures = [];
            try {
                return $this->attempt($request, $receive, $read, $failures);
            } catch (Failure $failure) {
                $hasBegun = $failures === [];
            }
            if ($hasBegun) {
                throw $failure;
            }
            $attempts += count($failures);
            if ($request->idempotencyKey !== null) {
                $isCharged = ErrorPolicy::chargedAfter($isCharged, $failures);
            }
            $error = new PurserError($failure, $attempts, $isCharged, $request->idempotencyKey);
            $retryAfter = $failure->retryAfterSeconds ?? 0;
            $isLast = $attempt >= $this->maxAttempts || $retryAfter * 1_000 > $this->maxRetryAfterMs;
            if ($isLast || !ErrorPolicy::isRetried($failure)) {
                throw $error;
            }
            $delayMs = $this->timing->retryDelayMs($attempt, $retryAfter);
            if ($this->onRetry !== null) {
                ($this->onRetry)($request->method, $request->path, $delayMs, $error);
            }
            $this->timing->sleep($delayMs);
        }
    }

    /**
     * Asks the addresses, until one answers. `$failures` is given what each of the others did.
     *
     * @param list<Failure> $failures
     */
    private function attempt(ApiRequest $request, ?\Closure $receive, \Closure $read, array &$failures): mixed
    {
        $timeoutMs = $request->timeoutMs ?? $this->timeoutMs;
        $endsAt = microtime(true) * 1_000 + $timeoutMs;
        $asked = [];
        $address = $this->addresses->first();
        for (;;) {
            $asked[] = $address;
            $leftMs = (int) max(1, ceil($endsAt - microtime(true) * 1_000));
            $hasBegun = false;
            try {
                $value = $this->ask($address, $request, $leftMs, $receive, $read, $hasBegun);
                $this->addresses->answered($address);
                return $value;
            } catch (Failure $failure) {
                if ($hasBegun) {
                    throw $failure;
                }
                $failures[] = $failure;
            }
            if (!ErrorPolicy::isAnotherAsked($failure)) {
                $this->addresses->answered($address);
                throw $failure;
            }
            $next = $this->addresses->after($address, $failure->leaderUrl, $asked);
            if ($next === null || $failure->errorCode === 'TIMEOUT') {
                throw $failure;
            }
            $address = $next;
        }
    }

    private function ask(
        string $address,
        ApiRequest $request,
        int $timeoutMs,
        ?\Closure $receive,
        \Closure $read,
        bool &$hasBegun,
    ): mixed {
        $headers = $request->authenticated ? $request->headers + ['X-API-Key' => $this->apiKey] : $request->headers;
        $begins = $receive === null ? null : static function (HttpAnswer $answer, string $piece) use ($receive, &$hasBegun): void {
            $hasBegun = true;
            $receive($answer, $piece);
        };
        $url = $address . $request->path;
        $answer = $this->transport->send($request->method, $url, $headers, $request->body, $timeoutMs, $begins);
        return intdiv($answer->status, 100) === 2 ? $read($answer) : throw $this->failureOf($answer);
    }

    private function failureOf(HttpAnswer $answer): Failure
    {
        if (intdiv($answer->status, 100) === 3) {
            $message = 'the server redirects elsewhere; redirects are not followed, check the base address';
            return new Failure('REDIRECTED', $message, $answer->status);
        }
        $retryAfter = $this->secondsOf($answer->header('retry-after'));
        $body = self::object($answer);
        if (!is_string($body['error'] ?? null)) {
            return self::foreign($answer, $retryAfter);
        }
        $url = $body['leader']['url'] ?? null;
        return new Failure(
            $body['error'],
            is_string($body['message'] ?? null) ? $body['message'] : 'no message',
            $answer->status,
            $body['requestId'] ?? $answer->header('x-request-id'),
            $retryAfter,
            $body['currentPriceUsdt'] ?? null,
            array_key_exists('leader', $body),
            is_string($url) ? $url : null,
        );
    }

    /** `Retry-After` as whole seconds from now, in either of its forms. */
    private function secondsOf(?string $retryAfter): ?int
    {
        if ($retryAfter === null || preg_match('/^\d{1,9}$/D', $retryAfter) === 1) {
            return $retryAfter === null ? null : (int) $retryAfter;
        }
        $at = strtotime($retryAfter);
        return $at === false ? null : max(0, (int) ceil($at - $this->timing->now() / 1_000));
    }

    private static function foreign(HttpAnswer $answer, ?int $retryAfter = null): Failure
    {
        $message = "HTTP {$answer->status} without the API's JSON";
        return new Failure('BAD_RESPONSE', $message, $answer->status, $answer->header('x-request-id'), $retryAfter);
    }

    /**
     * Empty for what is no object.
     *
     * @return array<string, mixed>
     */
    private static function object(HttpAnswer $answer): array
    {
        try {
            $value = ExactJson::read($answer->body);
        } catch (\JsonException) {
            return [];
        }
        return is_array($value) ? $value : [];
    }
}
