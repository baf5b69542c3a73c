<?php

declare(strict_types=1);

namespace Purser;

/**
 * JSON whose money is text with every digit, such as '9.50': no amount ever passes through a float. For sums there is
 * bcmath.
 */
final class ExactJson
{
    /** A text, with the colon when it names a field; or a number. */
    private const TOKENS = '/("(?:[^"\\\\]++|\\\\.)*+")(\s*+:)?|-?\d++(?:\.\d++)?+(?:[eE][-+]?\d++)?+/s';
    private const AMOUNT = '/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/D';

    /** @throws \JsonException */
    public static function read(string $text): mixed
    {
        $isMoney = false;
        $quoted = preg_replace_callback(self::TOKENS, static function (array $token) use (&$isMoney): string {
            if (isset($token[1]) && $token[1] !== '') {
                $isMoney = isset($token[2]) && str_ends_with($token[1], 'Usdt"');
                return $token[0];
            }
            $isText = $isMoney || strpbrk($token[0], '.eE') !== false;
            $isMoney = false;
            return $isText ? '"' . self::plain($token[0]) . '"' : $token[0];
        }, $text);
        return json_decode($quoted ?? '', true, 512, JSON_THROW_ON_ERROR);
    }

    /**
     * @param array<string, mixed> $fields whose `…Usdt` are amounts as text
     * @throws \InvalidArgumentException
     */
    public static function write(array $fields): string
    {
        $written = [];
        foreach ($fields as $name => $value) {
            $isMoney = str_ends_with($name, 'Usdt');
            $json = $isMoney ? self::amount($value, $name) : json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
            $written[] = json_encode($name, JSON_THROW_ON_ERROR) . ':' . $json;
        }
        return '{' . implode(',', $written) . '}';
    }

    private static function amount(mixed $value, string $name): string
    {
        $text = is_int($value) ? (string) $value : $value;
        if (!is_string($text) || preg_match(self::AMOUNT, $text) !== 1) {
            throw new \InvalidArgumentException("$name must be a text such as '9.50' or an int, never a float");
        }
        return $text;
    }

    /** 1e-7 as 0.0000001. */
    private static function plain(string $number): string
    {
        if (strpbrk($number, 'eE') === false) {
            return $number;
        }
        [$mantissa, $exponent] = explode('e', strtolower($number));
        $sign = $mantissa[0] === '-' ? '-' : '';
        [$whole, $fraction] = explode('.', ltrim($mantissa, '-') . '.');
        $shift = (int) $exponent;
        $digits = $whole . rtrim($fraction, '.');
        $point = strlen($whole) + $shift;
        if (abs($shift) > 100) {
            return $number;
        }
        $digits = str_pad($digits, $point, '0');
        if ($point <= 0) {
            $digits = str_repeat('0', 1 - $point) . $digits;
            $point = 1;
        }
        $rest = substr($digits, $point);
        return $sign . (ltrim(substr($digits, 0, $point), '0') ?: '0') . ($rest === '' ? '' : ".$rest");
    }
}
