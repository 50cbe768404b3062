//! What files and this process hold, as `lint` reads it.

use std::ffi::OsString;
use std::io::{self, Read};

use crate::lint::LARGEST;

/// The environment of this process, as `/proc/PID/environ` has it, in the order of the names.
pub fn environment() -> Vec<u8> {
    let mut all: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    all.sort();
    let mut bytes = Vec::new();
    for (name, value) in all {
        bytes.extend(name.as_encoded_bytes());
        bytes.push(b'=');
        bytes.extend(value.as_encoded_bytes());
        bytes.push(0);
    }
    bytes
}

/// All of an input, up to a byte more than is read of a file: that it is too large can be seen then.
pub fn bounded(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
