//! Any bytes as a file with settings: the first byte chooses the kind, or leaves it to be found.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rdmanav::lint::{self, Kind};

const KINDS: [Kind; 11] = [
    Kind::Shell,
    Kind::Dockerfile,
    Kind::Compose,
    Kind::Kubernetes,
    Kind::Yaml,
    Kind::Conf,
    Kind::EnvFile,
    Kind::Dotenv,
    Kind::Dump,
    Kind::Python,
    Kind::Log,
];

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let kind = KINDS.get(usize::from(*first) % (KINDS.len() + 1)).copied();
    let Ok(source) = lint::read("file", bytes, kind) else { return };
    for setting in &source.settings {
        for place in [setting.at, setting.value_at] {
            let length = source.line_text(place.line).chars().count();
            assert!((1..=length + 1).contains(&place.column), "{setting:?}");
        }
        assert!(source.scopes(setting.scope).count() <= source.outer.len());
    }
    source.values();
});
