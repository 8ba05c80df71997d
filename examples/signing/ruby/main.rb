# Sends a command and waits for its outcome.
require 'json'
require_relative 'signing'

# The value of the answer. A refusal ends the program.
def send_json(method, target, value = nil)
  body = value ? JSON.generate(value) : ''
  answer = send_signed(*ENV.values_at('TOP_BASE_URL', 'TOP_CLIENT_ID', 'TOP_SECRET'), method, target, body)
  abort answer.body unless answer.is_a?(Net::HTTPSuccess)
  mismatch = answer['Idempotency-Mismatch']
  abort "The key belongs to another command: #{mismatch} differ." if mismatch
  JSON.parse(answer.body)
end

commands = '/api/v1/open/downlink/commands'
reboot = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {}, idempotency_key: SecureRandom.uuid }
accepted = send_json('POST', commands, reboot)
puts JSON.pretty_generate(send_json('GET', "#{commands}/#{accepted['command_id']}?wait_seconds=30"))
