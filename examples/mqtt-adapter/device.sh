#!/bin/sh
# A lamp that speaks MQTT: device.sh TENANT/DEVICE PASSWORD FOLDER. The folder keeps the outcomes.
login="-h ${MQTT_HOST:-127.0.0.1} -p ${MQTT_PORT:-1883} -u $1 -P $2 -q 1" topics="devices/$1" outcomes=$3
mkdir -p "$outcomes" && trap 'mosquitto_pub $login -t "$topics/presence" -r -m offline; exit' INT
now() { read -r up _ </proc/uptime && echo "${up%.*}${up#*.}0"; } # In milliseconds. The time of day may be wrong.
carry_out() {
  case $1 in '{"command_type":"set_brightness",'*) ;; *) echo '{"status":"UNSUPPORTED"}'; return ;; esac
  percent=$(expr "$1" : '.*"percent":\([0-9]*\)')
  echo "The lamp shines at $percent %." >&2
  echo "{\"status\":\"SUCCEEDED\",\"result\":{\"percent\":$percent}}"
}
while mosquitto_pub $login -t "$topics/presence" -r -m offline || sleep 1; do
  mosquitto_sub $login -t "$topics/commands/+" -t "$topics/presence" -F '%r %t %p' \
    --will-topic "$topics/presence" --will-payload offline --will-qos 1 --will-retain |
    while read -r line; do printf '%s %s\n' "$(now)" "$line"; done | while read -r came retained topic message; do
    id=${topic##*/} remaining=${message#*'"remaining_ms":'}
    if [ "$id" = presence ]; then # Each connection brings the retained presence, and a late will may bring another.
      [ "$retained $message" = "0 online" ] || mosquitto_pub $login -t "$topic" -r -m online
    elif [ $(($(now) - came)) -lt "${remaining%%,*}" ]; then
      [ -s "$outcomes/$id" ] || carry_out "$message" >"$outcomes/$id" # A command may come more than once.
      mosquitto_pub $login -t "$topics/outcomes/$id" -f "$outcomes/$id"
    fi; done; done
