<?php
// Signs the requests of standard input.
require __DIR__ . '/signing.php';

while (($line = fgets(STDIN)) !== false) {
    [$secret, $clientId, $method, $target, $timestamp, $nonce, $body] = explode("\t", rtrim($line, "\n"));
    echo signature($secret, $clientId, $method, $target, $timestamp, $nonce, hex2bin($body)), "\n";
}
