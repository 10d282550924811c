<?php

declare(strict_types=1);

// Shows a client, a result and an error in every way that PHP and its frameworks show things. argv: address, key.

use Bandama\{Bandama, BandamaError};

ini_set('zend.exception_ignore_args', '0');
foreach (glob(__DIR__ . '/../../../sdk/php/src/*.php') as $file) {
    require_once $file;
}
[, $url, $key] = $argv;
$calls = 0;
$on_attempt = static function (array $attempt) use (&$calls): void {
    $calls += 1;
    echo json_encode($attempt), "\n";
    throw new RuntimeException('mine');
};
$client = new Bandama(['key' => $key, 'url' => $url, 'on_attempt' => $on_attempt]);
$payment = $client->payments->create(['amount' => 500]);
$error = null;
try {
    $client->balances();
} catch (BandamaError $thrown) {
    $error = $thrown;
}
foreach ([$client, clone $client, $payment, $error] as $thing) {
    var_dump($thing);
    print_r($thing);
    print_r((array) $thing);
    echo json_encode($thing), "\n";
}
var_export($client);
print_r($error->getTrace());
echo $error, "\n";
try {
    serialize($client);
} catch (LogicException $refused) {
    echo $refused->getMessage(), "\n";
}
try {
    new Bandama(['key' => $key, 'url' => 'no address']);
} catch (InvalidArgumentException $refused) {
    print_r($refused->getTrace());
}
echo 'copy ', json_encode(array_keys(get_object_vars($payment))), " calls {$calls}\n";
