#!/bin/sh
# Creates a command and waits for its outcome with curl and openssl alone. Set TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET.
# `send-command.sh sign METHOD TARGET TIMESTAMP NONCE <BODY` only prints the string to sign and X-Api-Signature.
set -eu
: "${TOP_BASE_URL:?}" "${TOP_CLIENT_ID:?}" "${TOP_SECRET:?}"

# The body comes on standard input: its very bytes are hashed.
string_to_sign() {
  body_sha256=$(openssl dgst -sha256 -r | cut -c 1-64)
  printf 'HMAC-SHA256-V1\n%s\n%s\n%s\n%s\n%s\n%s' "$1" "$2" "$TOP_CLIENT_ID" "$3" "$4" "$body_sha256"
}

# While openssl runs, other users of this machine can read the secret in the list of processes.
signature() {
  printf 'v1=%s' "$(openssl dgst -sha256 -hmac "$TOP_SECRET" -r | cut -c 1-64)"
}

send() { # METHOD TARGET [BODY]
  timestamp=$(date +%s)
  nonce=$(openssl rand -hex 16)
  curl --silent --show-error --fail-with-body --dump-header "$headers" --request "$1" "$TOP_BASE_URL$2" \
    --header "X-Api-Id: $TOP_CLIENT_ID" \
    --header "X-Api-Timestamp: $timestamp" \
    --header "X-Api-Nonce: $nonce" \
    --header "X-Api-Signature: $(printf %s "${3-}" | string_to_sign "$1" "$2" "$timestamp" "$nonce" | signature)" \
    --header 'Content-Type: application/json' ${3:+--data-raw "$3"}
}

if [ "${1-}" = sign ]; then
  text=$(string_to_sign "$2" "$3" "$4" "$5")
  printf '%s\n%s\n' "$text" "$(printf %s "$text" | signature)"
  exit
fi

headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
key=$(openssl rand -hex 16) # one key is one command: a request repeated with the same key makes nothing new
reboot='{"vendor":"vendor_a","device_id":"ok-1","command_type":"reboot","payload":{},"idempotency_key":"'$key'"}'
accepted=$(send POST /api/v1/open/downlink/commands "$reboot") || { printf '%s\n' "$accepted" >&2; exit 1; }
if grep -i '^Idempotency-Mismatch:' "$headers" >&2; then exit 1; fi # the key belongs to another command
command_id=$(printf %s "$accepted" | sed 's/.*"command_id":"\([^"]*\)".*/\1/')
send GET "/api/v1/open/downlink/commands/$command_id?wait_seconds=30"
