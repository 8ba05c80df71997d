//! Sends a command and waits for its outcome.

use serde_json::{json, Value};
use std::{env, process};
use uuid::Uuid;

fn main() {
    let commands = "/api/v1/open/downlink/commands";
    let reboot = json!({
        "vendor": "vendor_a",
        "device_id": "ok-1",
        "command_type": "reboot",
        "payload": {},
        "idempotency_key": Uuid::new_v4().to_string(),
    });
    let accepted: Value = serde_json::from_str(&send("POST", commands, &reboot.to_string())).unwrap();
    let command_id = accepted["command_id"].as_str().expect("command_id");
    println!("{}", send("GET", &format!("{commands}/{command_id}?wait_seconds=30"), ""));
}

/// The body of the answer. A refusal ends the program.
fn send(method: &str, target: &str, body: &str) -> String {
    let [base_url, client_id, secret] =
        ["TOP_BASE_URL", "TOP_CLIENT_ID", "TOP_SECRET"].map(|name| env::var(name).expect(name));
    let nonce = Uuid::new_v4().to_string();
    let mut request = ureq::http::Request::builder().method(method).uri(format!("{base_url}{target}"));
    request = request.header("Content-Type", "application/json");
    for (name, value) in signing::headers(&client_id, &secret, method, target, &nonce, body.as_bytes()) {
        request = request.header(name, value);
    }
    // Without this setting, ureq hides the body of a refusal.
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent.run(request.body(body).unwrap()).unwrap();
    let text = answer.body_mut().read_to_string().unwrap();
    if answer.status().as_u16() >= 300 {
        eprintln!("{text}");
        process::exit(1);
    }
    if let Some(mismatch) = answer.headers().get("Idempotency-Mismatch") {
        eprintln!("The key belongs to another command: {} differ.", mismatch.to_str().unwrap());
        process::exit(1);
    }
    text
}
