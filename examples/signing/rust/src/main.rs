//! Sends a command. With the argument "vectors" it signs the requests of standard input instead.

use std::{env, fs, io, process};

fn main() {
    if env::args().len() > 1 {
        for line in io::stdin().lines() {
            let line = line.unwrap();
            let f: Vec<&str> = line.split('\t').collect();
            println!("{}", signing::signature(f[0], f[1], f[2], f[3], f[4], f[5], &hex::decode(f[6]).unwrap()));
        }
        return;
    }
    let [base_url, client_id, secret] =
        ["TOP_BASE_URL", "TOP_CLIENT_ID", "TOP_SECRET"].map(|name| env::var(name).expect(name));
    let uuid = || fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap().trim().to_owned();
    let target = "/api/v1/open/downlink/commands";
    let command = format!(
        r#"{{"vendor":"vendor_a","device_id":"ok-1","command_type":"reboot","payload":{{}},"idempotency_key":"{}"}}"#,
        uuid()
    );
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut request = agent.post(format!("{base_url}{target}")).header("Content-Type", "application/json");
    for (name, value) in signing::headers(&client_id, &secret, "POST", target, &uuid(), command.as_bytes()) {
        request = request.header(name, value);
    }
    let mut answer = request.send(command).unwrap();
    let text = answer.body_mut().read_to_string().unwrap();
    if answer.status() != 202 {
        eprintln!("{text}");
        process::exit(1);
    }
    println!("{text}");
}
