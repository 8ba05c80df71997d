require 'net/http'
require 'openssl'
require 'securerandom'

# The value of X-Api-Signature.
def signature(secret, client_id, method, target, timestamp, nonce, body)
  text = ['HMAC-SHA256-V1', method, target, client_id, timestamp, nonce, OpenSSL::Digest::SHA256.hexdigest(body)].join("\n")
  "v1=#{OpenSSL::HMAC.hexdigest('SHA256', secret, text)}"
end

# Sends a signed request with net/http. The answer has code, body, and headers such as answer['Retry-After'].
def send_signed(base_url, client_id, secret, method, target, body = '')
  timestamp, nonce, uri = Time.now.to_i.to_s, SecureRandom.hex(16), URI(base_url + target)
  headers = {
    'Content-Type' => 'application/json',
    'X-Api-Id' => client_id,
    'X-Api-Timestamp' => timestamp,
    'X-Api-Nonce' => nonce,
    'X-Api-Signature' => signature(secret, client_id, method, target, timestamp, nonce, body),
  }
  # An attempt that net/http repeats would repeat its nonce.
  Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https', max_retries: 0) do |http|
    http.send_request(method, uri.request_uri, body.empty? ? nil : body, headers)
  end
end
