<?php

declare(strict_types=1);

namespace Purser;

/** A file's bytes. When the connection breaks, the rest is requested of the same file (its `ETag`). */
final class Download
{
    private int $received = 0;
    private int $breaks = 0;
    /** Null when the server gave none that proves equality: then a broken download can't be resumed. */
    private ?string $etag = null;
    private bool $isOpen = false;
    private string $contentType = 'application/octet-stream';
    private ?int $length = null;

    /** @param \Closure(string): void $receive */
    private function __construct(
        private readonly ApiCaller $caller,
        private readonly string $path,
        private readonly \Closure $receive,
    ) {
    }

    /**
     * Gives the file to `$receive` piece by piece. A file that is shorter than announced is never taken for whole.
     *
     * @param \Closure(string): void $receive
     * @return array{contentType: string, contentLengthBytes: ?int}
     * @throws PurserError
     */
    public static function receive(ApiCaller $caller, string $path, \Closure $receive): array
    {
        $download = new self($caller, $path, $receive);
        $headers = [];
        while (!$download->goOn($headers)) {
            $headers = ['Range' => "bytes={$download->received}-", 'If-Range' => (string) $download->etag];
        }
        return ['contentType' => $download->contentType, 'contentLengthBytes' => $download->length];
    }

    /**
     * Whether the file is whole now; otherwise the rest is to be asked for.
     *
     * @param array<string, string> $headers
     */
    private function goOn(array $headers): bool
    {
        // Positions in a compressed answer are not positions in the file.
        $request = new ApiRequest('GET', $this->path, $headers + ['Accept-Encoding' => 'identity']);
        $before = $this->received;
        $isChecked = false;
        $take = function (HttpAnswer $answer, string $piece) use ($before, &$isChecked): void {
            if (!$isChecked) {
                $this->begin($answer, $before);
                $isChecked = true;
            }
            $this->received += strlen($piece);
            ($this->receive)($piece);
        };
        try {
            $answer = $this->caller->stream($request, $take);
            if (!$isChecked) {
                $this->begin($answer, $before);
            }
            if ($this->length === null || $this->received >= $this->length) {
                return true;
            }
            $failure = new Failure('NETWORK_ERROR', 'the file broke off');
        } catch (Failure $failure) {
        }
        $this->breaks = $this->received > $before ? 1 : $this->breaks + 1;
        if ($this->etag === null || $this->breaks >= $this->caller->maxAttempts || !ErrorPolicy::isRetried($failure)) {
            throw new PurserError($failure, $this->breaks);
        }
        $this->caller->timing->sleep($this->caller->timing->retryDelayMs($this->breaks));
        return false;
    }

    private function begin(HttpAnswer $answer, int $before): void
    {
        if ($this->isOpen) {
            $goesOn = str_starts_with($answer->header('content-range') ?? '', "bytes $before-");
            if ($answer->status !== 206 || !$goesOn) {
                $message = 'the download broke off, and the server no longer has the rest of the same file';
                throw new PurserError(new Failure('BAD_RESPONSE', $message, $answer->status), 1);
            }
            return;
        }
        $this->isOpen = true;
        $isIdentity = ($answer->header('content-encoding') ?? 'identity') === 'identity';
        $etag = $answer->header('etag') ?? '';
        $length = $answer->header('content-length') ?? '';
        $this->etag = $isIdentity && str_starts_with($etag, '"') ? $etag : null;
        $this->length = $isIdentity && ctype_digit($length) ? (int) $length : null;
        $this->contentType = $answer->header('content-type') ?? $this->contentType;
    }
}
