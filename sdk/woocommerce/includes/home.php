<?php

declare(strict_types=1);

namespace Bandama\WooCommerce;

/** The instance that gave this plugin out. It writes its address and its brand here. */
final class Home
{
    public const URL = '';
    public const BRAND = 'Bandama';
    public const VERSION = '0.1.0';
}
