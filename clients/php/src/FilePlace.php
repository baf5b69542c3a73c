<?php

declare(strict_types=1);

namespace Purser;

/** A place in a file, which has the old event or the new one after a crash. */
final class FilePlace implements Place
{
    public function __construct(private readonly string $path)
    {
    }

    public function load(): ?string
    {
        return is_file($this->path) ? (trim((string) file_get_contents($this->path)) ?: null) : null;
    }

    public function save(?string $eventId): void
    {
        $unfinished = "{$this->path}.unfinished";
        $file = fopen($unfinished, 'w') ?: throw new \RuntimeException("$unfinished can't be opened");
        $isWritten = fwrite($file, $eventId ?? '') !== false && fflush($file) && fsync($file);
        fclose($file);
        if (!$isWritten || !rename($unfinished, $this->path)) {
            throw new \RuntimeException("{$this->path} can't be written");
        }
    }
}
