<?php

/** The value of X-Api-Signature. */
function signature(string $secret, string $clientId, string $method, string $target, string $timestamp, string $nonce, string $body): string
{
    $lines = ['HMAC-SHA256-V1', $method, $target, $clientId, $timestamp, $nonce, hash('sha256', $body)];
    return 'v1=' . hash_hmac('sha256', implode("\n", $lines), $secret);
}

/** Sends a signed request with ext-curl. Returns the status, the body, and the headers by their lower-case names. */
function send_signed(string $baseUrl, string $clientId, string $secret, string $method, string $target, string $body = ''): array
{
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $headers = [];
    $curl = curl_init($baseUrl . $target);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$headers): int {
            [$name, $value] = explode(':', $line, 2) + [1 => null];
            if ($value !== null) $headers[strtolower($name)] = trim($value);
            return strlen($line);
        },
        CURLOPT_HTTPHEADER => [
            'Content-Type: application/json',
            "X-Api-Id: $clientId",
            "X-Api-Timestamp: $timestamp",
            "X-Api-Nonce: $nonce",
            'X-Api-Signature: ' . signature($secret, $clientId, $method, $target, $timestamp, $nonce, $body),
        ],
    ] + ($body === '' ? [] : [CURLOPT_POSTFIELDS => $body]));
    $answer = curl_exec($curl);
    if ($answer === false) throw new RuntimeException(curl_error($curl));
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $answer, $headers];
}
