<?php
require 'bandama.php';

use Bandama\{Bandama, Outcome};

$client = new Bandama(['key' => getenv('BANDAMA_KEY')]);

$paid = false;
foreach ($client->payments->list(['reference' => 'CMD-417']) as $payment) {
    $paid = $paid || Outcome::of($payment) === 'paid';
}
echo $paid ? 'paid' : 'not yet', "\n";
