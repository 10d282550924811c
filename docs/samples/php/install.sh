curl -fsSo bandama.php https://pay.example.ci/sdk/php-single-0.1.0-f79b47a1.php
