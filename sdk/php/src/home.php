<?php

declare(strict_types=1);

namespace Bandama;

/** The place that this package came from. An instance writes its own address in place of the empty text. */
final class Home
{
    /** The address of the instance. Empty: clients name a `url`. */
    public const URL = '';

    /** The version of this package, for the user agent. */
    public const VERSION = '0.1.0';
}
