<?php

declare(strict_types=1);

namespace Purser;

/**
 * HTTP by curl: one request, with one time limit for all of it. Redirects are not followed. Each request has a connection
 * of its own: on one that is used again curl sends a request twice by itself, and nobody learns of it.
 */
final class Transport
{
    /** Far more than the largest order or catalog; less than would exhaust a small machine. */
    private const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

    /**
     * With `$receive`, the body of a success goes there piece by piece, as it comes, and the time limit is for each
     * silence between pieces.
     *
     * @param array<string, string> $headers
     * @param (\Closure(HttpAnswer, string): void)|null $receive
     * @throws Failure
     */
    public function send(
        string $method,
        string $url,
        array $headers,
        ?string $body,
        int $timeoutMs,
        ?\Closure $receive = null,
    ): HttpAnswer {
        $answer = new HttpAnswer();
        $received = 0;
        $heardAt = microtime(true);
        $isSilent = false;
        $handle = curl_init() ?: throw new \RuntimeException('curl does not start');
        curl_setopt_array($handle, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => self::lines($headers + ($body === null ? [] : ['Expect' => ''])),
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_CONNECTTIMEOUT_MS => $timeoutMs,
            CURLOPT_TIMEOUT_MS => $receive === null ? $timeoutMs : 0,
            CURLOPT_NOPROGRESS => false,
            CURLOPT_XFERINFOFUNCTION => static function () use (&$heardAt, &$isSilent, $timeoutMs): int {
                $isSilent = (microtime(true) - $heardAt) * 1_000 > $timeoutMs;
                return $isSilent ? 1 : 0;
            },
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use ($answer): int {
                self::take($answer, $line);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($_, string $piece) use ($answer, $receive, &$received, &$heardAt): int {
                $heardAt = microtime(true);
                $received += strlen($piece);
                if ($receive !== null && intdiv($answer->status, 100) === 2) {
                    $receive($answer, $piece);
                    $heardAt = microtime(true);
                } elseif ($received > self::MAX_ANSWER_BYTES) {
                    return 0;
                } else {
                    $answer->body .= $piece;
                }
                return strlen($piece);
            },
        ]);
        if ($body !== null) {
            curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
        }
        if (curl_exec($handle) === false) {
            if ($isSilent || curl_errno($handle) === CURLE_OPERATION_TIMEDOUT) {
                throw new Failure('TIMEOUT', "no complete answer within $timeoutMs ms");
            }
            throw new Failure('NETWORK_ERROR', 'the connection failed or broke off: ' . curl_error($handle));
        }
        if ($answer->status === 0) {
            throw new Failure('NETWORK_ERROR', 'the answer is no HTTP');
        }
        return $answer;
    }

    private static function take(HttpAnswer $answer, string $line): void
    {
        if (preg_match('~^HTTP/[\d.]+ (\d{3})~', $line, $found) === 1) {
            $answer->status = (int) $found[1];
            $answer->headers = [];
        } elseif (str_contains($line, ':')) {
            [$name, $value] = explode(':', $line, 2);
            $answer->headers[strtolower(trim($name))] = trim($value);
        }
    }

    /**
     * @param array<string, string> $headers
     * @return list<string>
     */
    private static function lines(array $headers): array
    {
        return array_map(static fn (string $name, string $value): string => "$name: $value", array_keys($headers), $headers);
    }
}
