<?php

declare(strict_types=1);

// Reads a JSON list of sources in PHP on stdin, and writes for each what 7.4 does not know, a line each. PHP's own tokens tell code from texts and
// comments.

echo json_encode(array_map('newer', json_decode(stream_get_contents(STDIN))), JSON_THROW_ON_ERROR);

function newer(string $source): string
{
    $said = '';
    $tokens = PhpToken::tokenize($source);
    $newer = ['T_MATCH', 'T_ENUM', 'T_READONLY', 'T_NULLSAFE_OBJECT_OPERATOR', 'T_AMPERSAND_FOLLOWED_BY_VAR_OR_VARARG_TYPE'];
    $code = '';
    $last = ';';
    foreach ($tokens as $index => $token) {
        if (in_array($token->getTokenName(), $newer, true)) {
            $said .= "{$token->line}: {$token->text}\n";
        }
        // 7.4 reads an attribute as a comment up to the end of its line, so it has a line of its own.
        if ($token->is(T_ATTRIBUTE)) {
            $before = $tokens[$index - 1]->text ?? '';
            $rest = '';
            for ($next = $index; isset($tokens[$next]) && strpos($rest, "\n") === false; $next += 1) {
                $rest .= $tokens[$next]->text;
            }
            if (strpos($before, "\n") === false || preg_match('/^#\[[^\]]*\]\s*\n/', $rest) !== 1) {
                $said .= "{$token->line}: an attribute beside code\n";
            }
        }
        if ($token->is(T_THROW) && preg_match('/^[;{}):]$/', $last) !== 1) {
            $said .= "{$token->line}: throw as an expression\n";
        }
        $is_text = $token->is([T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE, T_COMMENT, T_DOC_COMMENT, T_INLINE_HTML]);
        $code .= $is_text ? str_repeat("\n", substr_count($token->text, "\n")) . ($token->is(T_CONSTANT_ENCAPSED_STRING) ? "''" : '') : $token->text;
        if (!$token->isIgnorable()) {
            $last = $token->text;
        }
    }

    $patterns = [
        'a union type' => '/(?<!catch \()(?<![\w\\\\])(?:\??[\w\\\\]+\s*\|(?!\|)\s*)[\w\\\\|]+\s+&?(?:\.\.\.)?\$\w/',
        'a union type that is returned' => '/\)\s*:\s*\??[\w\\\\]+\s*\|/',
        'a promoted property' => '/function\s+\w+\s*\([^)]*\b(?:public|protected|private)\b/',
        'catch without a variable' => '/\bcatch\s*\([^$)]*\)/',
        'a callable made of a call' => '/\(\s*\.\.\.\s*\)/',
        'a type that 7.4 does not have' => '/\)\s*:\s*(?:static|mixed|never|true|false|null)\s*\{|\bmixed\s+\$/',
        'a comma after the last parameter' => '/function\b[^(]*\([^()]*,\s*\)/',
        'a named argument' => '/[(,]\s*[a-z_]\w*\s*:(?!:)/i',
        'the class of an object' => '/\$\w+::class\b/',
        'a typed constant' => '/\bconst\s+[\w\\\\?]+\s+\w+\s*=/',
        'a newer function' => '/(?<![\w>:])(?:str_contains|str_starts_with|str_ends_with|array_is_list|get_debug_type|fdiv|json_validate|array_find|array_any|array_all|mb_trim)\s*\(/',
        'a newer class' => '/\b(?:WeakMap|Stringable|CurlHandle)\b/',
    ];
    foreach ($patterns as $name => $pattern) {
        preg_match_all($pattern, $code, $found, PREG_OFFSET_CAPTURE);
        foreach ($found[0] as [$text, $offset]) {
            $said .= (substr_count($code, "\n", 0, $offset) + 1) . ": {$name}\n";
        }
    }
    return $said;
}
