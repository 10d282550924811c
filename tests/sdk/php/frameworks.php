<?php

declare(strict_types=1);

// Gives signed, wrong and failing events to the handlers of frameworks, on the frameworks' own requests, and prints what each answers.

use Bandama\{Laravel, Psr, SignatureError, Symfony, Testing, Webhooks};
use Symfony\Component\HttpFoundation\Request;

require 'Symfony/Component/HttpFoundation/autoload.php';
require 'Nyholm/Psr7/autoload.php';
foreach (glob(__DIR__ . '/../../../sdk/php/src/*.php') as $file) {
    require_once $file;
}
$secret = 'whsec_0123456789';
$event = ['id' => 'evt_1', 'object' => 'event', 'type' => 'payment.succeeded', 'data' => ['reference' => 'Abobo à « 4 »']];
$got = [];
$on_event = static function (stdClass $event) use (&$got): void {
    if ($event->type === 'payment.failed') {
        throw new RuntimeException('mine');
    }
    $got[] = $event;
};
$options = ['on_error' => static function (Throwable $error): void {
    echo "told {$error->getMessage()}\n";
}];
$symfony = static function (callable $handler): callable {
    return static function (array $headers, string $body) use ($handler): array {
        $request = Request::create('/webhooks', 'POST', [], [], [], [], $body);
        $request->headers->add($headers);
        $response = $handler($request);
        return [$response->getStatusCode(), $response->getContent()];
    };
};
$psr = static function (array $headers, string $body) use ($secret, $on_event, $options): array {
    $request = new Nyholm\Psr7\ServerRequest('POST', '/webhooks', $headers, $body);
    $request->getBody()->getContents();
    $response = Psr::handler($secret, $on_event, $options)($request, new Nyholm\Psr7\Response());
    return [$response->getStatusCode(), (string) $response->getBody()];
};
$ways = [
    'Symfony' => $symfony(Symfony::handler($secret, $on_event, $options)),
    'Laravel' => $symfony(Laravel::handler($secret, $on_event, $options)),
    'PSR-7' => $psr,
];
foreach ($ways as $name => $send) {
    ['headers' => $headers, 'body' => $body] = Testing::signed($event, $secret);
    ['headers' => $failing, 'body' => $failed] = Testing::signed(['type' => 'payment.failed'] + $event, $secret);
    $sent = [$send($headers, $body), $send($headers, "{$body} "), $send($failing, $failed)];
    echo $name, ' ', implode(' ', array_column($sent, 0)), ' ', substr($sent[1][1], 0, 32), "\n";
    try {
        Symfony::handler('', $on_event);
    } catch (InvalidArgumentException $error) {
        echo $error->getMessage(), "\n";
    }
}
$stream = new class {
    public function isSeekable(): bool
    {
        return false;
    }
    public function eof(): bool
    {
        return true;
    }
};
$used = new class ($stream, Testing::signed($event, $secret)['headers']) {
    private object $stream;
    private array $headers;
    public function __construct(object $stream, array $headers)
    {
        $this->stream = $stream;
        $this->headers = $headers;
    }
    public function getBody(): object
    {
        return $this->stream;
    }
    public function getHeaders(): array
    {
        return $this->headers;
    }
};
try {
    Webhooks::verify($used, $secret);
} catch (SignatureError $error) {
    echo $error->reason, "\n";
}
echo json_encode($got[2] == json_decode(json_encode($event))), count($got), "\n";
