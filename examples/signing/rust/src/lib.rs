//! Signs requests with the crates hmac, sha2 and hex.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};

/// The value of X-Api-Signature.
pub fn signature(
    secret: &str, client_id: &str, method: &str, target: &str, timestamp: &str, nonce: &str, body: &[u8],
) -> String {
    let body_hash = hex::encode(Sha256::digest(body));
    let text = ["HMAC-SHA256-V1", method, target, client_id, timestamp, nonce, &body_hash].join("\n");
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(text.as_bytes());
    format!("v1={}", hex::encode(mac.finalize().into_bytes()))
}

/// The four headers of a request. A nonce must be fresh for every attempt, for example a random UUID.
pub fn headers(
    client_id: &str, secret: &str, method: &str, target: &str, nonce: &str, body: &[u8],
) -> [(&'static str, String); 4] {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
    let timestamp = now.as_secs().to_string();
    let signature = signature(secret, client_id, method, target, &timestamp, nonce, body);
    [
        ("X-Api-Id", client_id.into()),
        ("X-Api-Timestamp", timestamp),
        ("X-Api-Nonce", nonce.into()),
        ("X-Api-Signature", signature),
    ]
}
