#!/bin/sh
# A heater that polls: device.sh TOKEN FOLDER. The folder keeps the outcomes.
url=${ADAPTER_URL:-http://127.0.0.1:8790} token=$1 outcomes=$2
mkdir -p "$outcomes"
call() { curl -sSf --max-time 40 -H "Authorization: Bearer $token" "$@"; }
carry_out() {
  case $1 in *'"command_type":"set_celsius",'*) ;; *) echo '{"status":"refused","reason":"Unknown command."}'; return ;; esac
  celsius=$(expr "$1" : '.*"celsius":\([0-9]*\)')
  echo "The heater heats to $celsius °C." >&2
  echo "{\"status\":\"done\",\"result\":{\"celsius\":$celsius}}"
}
while :; do
  task=$(call "$url/command") || { sleep 1; continue; }
  id=$(expr "$task" : '.*"command_id":"\([^"]*\)"') || continue # Nothing to do: poll again.
  if [ ! -s "$outcomes/$id" ]; then
    # Before it begins: after a power cut it must not begin again.
    echo '{"status":"unknown","reason":"The heater lost power."}' >"$outcomes/$id"
    carry_out "$task" >"$outcomes/$id.new" && mv "$outcomes/$id.new" "$outcomes/$id"
  fi
  # If nobody takes it now, the next poll brings the command again.
  call --data-binary "@$outcomes/$id" "$url/outcomes/$id" || sleep 1
done
