<?php

declare(strict_types=1);

namespace Bandama;

/**
 * A route of Laravel that takes webhooks: `Route::post('/webhooks', Laravel::handler(config('services.bandama.secret'), function ($event) { … }))`.
 * Put it into `routes/api.php`, or take it out of the check for CSRF.
 */
final class Laravel
{
    /**
     * @param string|string[] $secret
     * @param callable(\stdClass): mixed $on_event
     * @param array{tolerance?: int, on_error?: callable(\Throwable): mixed} $options
     * @throws \InvalidArgumentException at once when the secret is empty, and not at the first event
     */
    public static function handler(
        #[\SensitiveParameter]
        $secret,
        callable $on_event,
        array $options = []
    ): \Closure {
        return Symfony::handler($secret, $on_event, $options);
    }
}

/** A controller of Symfony that takes webhooks: `return Symfony::handler($secret, function ($event) { … })($request);`. */
final class Symfony
{
    /**
     * @param string|string[] $secret
     * @param callable(\stdClass): mixed $on_event
     * @param array{tolerance?: int, on_error?: callable(\Throwable): mixed} $options
     * @throws \InvalidArgumentException at once when the secret is empty, and not at the first event
     */
    public static function handler(
        #[\SensitiveParameter]
        $secret,
        callable $on_event,
        array $options = []
    ): \Closure {
        $secrets = Webhooks::secrets($secret);
        return static function (\Symfony\Component\HttpFoundation\Request $request) use ($secrets, $on_event, $options) {
            [$status, $text] = Webhooks::answer($request, $secrets, $on_event, $options);
            $headers = ['Content-Type' => 'text/plain; charset=utf-8'];
            return new \Symfony\Component\HttpFoundation\Response($text, $status, $headers);
        };
    }
}

/** A handler for frameworks of PSR-7, such as Slim: `$app->post('/webhooks', Psr::handler($secret, function ($event) { … }))`. */
final class Psr
{
    /**
     * @param string|string[] $secret
     * @param callable(\stdClass): mixed $on_event
     * @param array{tolerance?: int, on_error?: callable(\Throwable): mixed} $options
     * @return \Closure it takes the request and the response to fill
     * @throws \InvalidArgumentException at once when the secret is empty, and not at the first event
     */
    public static function handler(
        #[\SensitiveParameter]
        $secret,
        callable $on_event,
        array $options = []
    ): \Closure {
        $secrets = Webhooks::secrets($secret);
        return static function (object $request, object $response) use ($secrets, $on_event, $options): object {
            [$status, $text] = Webhooks::answer($request, $secrets, $on_event, $options);
            $response->getBody()->write($text);
            return $response->withStatus($status)->withHeader('Content-Type', 'text/plain; charset=utf-8');
        };
    }
}
