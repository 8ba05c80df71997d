<?php
// Sends a command and waits for its outcome.
require __DIR__ . '/signing.php';

/** The value of the answer. A refusal ends the program. */
function send(string $method, string $target, string $body = ''): object
{
    [$status, $answer, $headers] = send_signed(getenv('TOP_BASE_URL'), getenv('TOP_CLIENT_ID'), getenv('TOP_SECRET'), $method, $target, $body);
    if ($status >= 300) {
        fwrite(STDERR, "$answer\n");
        exit(1);
    }
    $mismatch = $headers['idempotency-mismatch'] ?? null;
    if ($mismatch !== null) {
        fwrite(STDERR, "The key belongs to another command: $mismatch differ.\n");
        exit(1);
    }
    return json_decode($answer);
}

$commands = '/api/v1/open/downlink/commands';
$reboot = [
    'vendor' => 'vendor_a',
    'device_id' => 'ok-1',
    'command_type' => 'reboot',
    'payload' => new stdClass,
    'idempotency_key' => bin2hex(random_bytes(16)),
];
$accepted = send('POST', $commands, json_encode($reboot));
echo json_encode(send('GET', "$commands/$accepted->command_id?wait_seconds=30"), JSON_PRETTY_PRINT), "\n";
