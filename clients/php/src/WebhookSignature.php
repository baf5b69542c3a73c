<?php

declare(strict_types=1);

namespace Purser;

/** Telling a genuine webhook delivery from any other request: HMAC, age, and an event whose id is the signed one. */
final class WebhookSignature
{
    private const TOLERANCE_MS = 300_000;
    private const MAX_SIGNATURE_CHARS = 1_024;

    /**
     * The event. `$headers` as `getallheaders()` gives them, names in any case; `$body` exactly as received, of
     * `php://input`; several secrets while one is being replaced by another.
     *
     * @param array<string, string|list<string>> $headers
     * @param string|list<string> $secret
     * @return array{eventId: string, type: string, ...}
     * @throws WebhookVerificationError
     */
    public static function verify(
        array $headers,
        string $body,
        #[\SensitiveParameter] string|array $secret,
        int $toleranceMs = self::TOLERANCE_MS,
        ?int $nowMs = null,
    ): array {
        $secrets = (array) $secret;
        if ($secrets === [] || in_array('', $secrets, true)) {
            throw new \InvalidArgumentException('secret is missing or empty');
        }
        $deliveryId = self::header($headers, 'x-service-delivery');
        [$timestamp, $signatures] = self::parse(self::header($headers, 'x-service-signature'));
        $isSigned = false;
        foreach ($secrets as $one) {
            $expected = hash_hmac('sha256', "$timestamp.$deliveryId.$body", $one);
            foreach ($signatures as $signature) {
                $isSigned = hash_equals($expected, $signature) || $isSigned;
            }
        }
        if (!$isSigned) {
            throw new WebhookVerificationError('wrong-signature', 'the signature is not by any of the secrets');
        }
        // The age is judged after the signature: of a forged request nothing is believed.
        $ageMs = ($nowMs ?? (int) (microtime(true) * 1_000)) - (int) $timestamp;
        if (abs($ageMs) > $toleranceMs) {
            $message = "it was signed $ageMs ms ago, $toleranceMs are allowed";
            throw new WebhookVerificationError('outside-tolerance', $message);
        }
        return self::event($body, $deliveryId);
    }

    /**
     * A header that came twice is as good as none.
     *
     * @param array<string, string|list<string>> $headers
     */
    private static function header(array $headers, string $name): string
    {
        $values = [];
        foreach ($headers as $key => $value) {
            if (strtolower((string) $key) === $name) {
                array_push($values, ...(array) $value);
            }
        }
        if (count($values) === 1 && $values[0] !== '') {
            return $values[0];
        }
        throw new WebhookVerificationError('missing-header', "$name is missing, or there is more than one");
    }

    /**
     * Parts that a later version adds beside t and v1 are left alone.
     *
     * @return array{string, list<string>}
     */
    private static function parse(string $header): array
    {
        $times = $signatures = [];
        $isWellFormed = strlen($header) <= self::MAX_SIGNATURE_CHARS;
        foreach ($isWellFormed ? array_map('trim', explode(',', $header)) : [] as $part) {
            if (str_starts_with($part, 't=')) {
                $times[] = substr($part, 2);
            } elseif (str_starts_with($part, 'v1=')) {
                $signatures[] = strtolower(substr($part, 3));
            }
        }
        $areHex = preg_grep('/^[0-9a-f]{64}$/D', $signatures) === $signatures;
        if (count($times) !== 1 || preg_match('/^\d{1,16}$/D', $times[0]) !== 1 || $signatures === [] || !$areHex) {
            throw new WebhookVerificationError('malformed-signature', 'x-service-signature is not t=…,v1=…');
        }
        return [$times[0], $signatures];
    }

    /** @return array<string, mixed> */
    private static function event(string $body, string $deliveryId): array
    {
        try {
            $event = ExactJson::read($body);
        } catch (\JsonException) {
            $event = null;
        }
        if (is_array($event) && ($event['eventId'] ?? null) === $deliveryId && is_string($event['type'] ?? null)) {
            return $event;
        }
        $message = 'the body has no type, or another eventId than the header';
        throw new WebhookVerificationError('not-an-event', $message);
    }
}
