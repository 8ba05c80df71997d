# Sends a command. With the argument "vectors" it signs the requests of standard input instead.
require_relative 'signing'

if ARGV.any?
  $stdin.each_line(chomp: true) do |line|
    *fields, body = line.split("\t", -1)
    puts signature(*fields, [body].pack('H*'))
  end
  exit
end
command = %({"vendor":"vendor_a","device_id":"ok-1","command_type":"reboot","payload":{},"idempotency_key":"#{SecureRandom.uuid}"})
answer = send_signed(*ENV.values_at('TOP_BASE_URL', 'TOP_CLIENT_ID', 'TOP_SECRET'), 'POST', '/api/v1/open/downlink/commands', command)
(answer.code == '202' ? $stdout : $stderr).puts answer.body
exit answer.code == '202'
