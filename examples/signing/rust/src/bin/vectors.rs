//! Signs the requests of standard input.

use std::io;

fn main() {
    for line in io::stdin().lines() {
        let line = line.unwrap();
        let f: Vec<&str> = line.split('\t').collect();
        println!("{}", signing::signature(f[0], f[1], f[2], f[3], f[4], f[5], &hex::decode(f[6]).unwrap()));
    }
}
