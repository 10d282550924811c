<?php
// The secrets go. The payments of each order stay, because money may still come for it.

declare(strict_types=1);

if (!defined('WP_UNINSTALL_PLUGIN')) {
    exit;
}
delete_option('woocommerce_bandama_settings');
wp_clear_scheduled_hook('bandama_follow');
