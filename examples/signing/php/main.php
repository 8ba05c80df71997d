<?php
// Sends a command. With the argument "vectors" it signs the requests of standard input instead.
require __DIR__ . '/signing.php';

if ($argc > 1) {
    while (($line = fgets(STDIN)) !== false) {
        [$secret, $clientId, $method, $target, $timestamp, $nonce, $body] = explode("\t", rtrim($line, "\n"));
        echo signature($secret, $clientId, $method, $target, $timestamp, $nonce, hex2bin($body)), "\n";
    }
    exit;
}
$command = '{"vendor":"vendor_a","device_id":"ok-1","command_type":"reboot","payload":{},"idempotency_key":"' . bin2hex(random_bytes(16)) . '"}';
[$status, $answer] = send_signed(getenv('TOP_BASE_URL'), getenv('TOP_CLIENT_ID'), getenv('TOP_SECRET'), 'POST', '/api/v1/open/downlink/commands', $command);
fwrite($status === 202 ? STDOUT : STDERR, "$answer\n");
exit($status === 202 ? 0 : 1);
