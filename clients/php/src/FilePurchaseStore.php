<?php

declare(strict_types=1);

namespace Purser;

/**
 * Purchases in a file, stored before a request goes out, so that a crash loses none.
 *
 * The file has one line of JSON for each purchase begun and for each one done, and is only appended to; the clients in
 * other languages read and write the same. A line is on disk when `save` returns, and one that a crash cut short never
 * spoils the next. Processes may share the file: a line is written under a lock.
 */
final class FilePurchaseStore implements PurchaseStore
{
    public function __construct(private readonly string $path)
    {
    }

    public function save(string $idempotencyKey, string $body): void
    {
        $this->append(['idempotencyKey' => $idempotencyKey, 'body' => $body]);
    }

    public function remove(string $idempotencyKey): void
    {
        $this->append(['idempotencyKey' => $idempotencyKey, 'done' => true]);
    }

    public function unfinished(): array
    {
        $bodies = [];
        $lines = is_file($this->path) ? explode("\n", (string) file_get_contents($this->path)) : [];
        foreach ($lines as $line) {
            $row = json_decode($line, true);
            if (!is_string($row['idempotencyKey'] ?? null)) {
                continue;
            }
            if (isset($row['body'])) {
                $bodies[$row['idempotencyKey']] = $row['body'];
            } else {
                unset($bodies[$row['idempotencyKey']]);
            }
        }
        return $bodies;
    }

    /** @param array<string, string|bool> $row */
    private function append(array $row): void
    {
        $line = json_encode($row, JSON_THROW_ON_ERROR) . "\n";
        $file = fopen($this->path, 'a+') ?: throw new \RuntimeException("{$this->path} can't be opened");
        try {
            chmod($this->path, 0600);
            flock($file, LOCK_EX);
            fseek($file, -1, SEEK_END);
            $last = fread($file, 1);
            // The line before was cut short by a crash.
            $whole = $last === '' || $last === false || $last === "\n" ? $line : "\n$line";
            if (fwrite($file, $whole) !== strlen($whole) || !fflush($file) || !fsync($file)) {
                throw new \RuntimeException("{$this->path} can't be written");
            }
        } finally {
            fclose($file);
        }
    }
}
