<?php

/** For programs without Composer: `require 'autoload.php';`. */
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Purser\\')) {
        require __DIR__ . '/src/' . substr($class, 7) . '.php';
    }
});
