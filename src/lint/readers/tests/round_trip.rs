//! Any set of variables, written in any form and read back, is the same set.

use std::collections::BTreeMap;

use clap::ValueEnum;

use super::super::names;
use super::source;
use crate::env::export::{self, Form};
use crate::lint::Kind;

/// Who reads a form.
fn reader(form: Form) -> Kind {
    match form {
        Form::Table | Form::Export | Form::Slurm => Kind::Shell,
        Form::Conf => Kind::Conf,
        Form::Docker => Kind::EnvFile,
        Form::Compose => Kind::Compose,
        Form::K8s => Kind::Kubernetes,
        Form::Dotenv => Kind::Dotenv,
    }
}

/// Numbers that look like chance, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn name(&mut self) -> String {
        let first = ["NCCL_", "UCX_", "FI_", "_", "A"][self.below(5)];
        let rest: String = (0..self.below(8)).map(|_| "ABZ_019"[self.below(7)..].chars().next().unwrap()).collect();
        format!("{first}X{rest}")
    }

    fn value(&mut self) -> String {
        const PIECES: [&str; 52] = [
            "mlx5_0",
            ",",
            ":1",
            "=",
            "^",
            " ",
            "  ",
            "'",
            "\"",
            "\\",
            "$",
            "$A",
            "${A}",
            "$(x)",
            "`x`",
            "#",
            " #",
            "~",
            "*",
            "{a,b}",
            "<x>",
            ">",
            "&",
            "|",
            ";",
            "(",
            ")",
            "!",
            "%",
            "-",
            "--",
            "0",
            "1",
            "0x10",
            "true",
            "yes",
            "null",
            "?",
            "[",
            "]",
            "{",
            "}",
            "@",
            "ä",
            "\u{1f600}",
            "\u{feff}",
            "\u{2028}",
            "- ",
            ": ",
            "\\n",
            "export ",
            "\u{a0}",
        ];
        let value: String = (0..self.below(6)).map(|_| PIECES[self.below(PIECES.len())]).collect();
        // A template is not what it says.
        if names::is_template(&value) { self.value() } else { value }
    }
}

#[test]
fn any_set_of_variables_is_read_back_from_any_form() {
    let mut numbers = Numbers(7);
    for round in 0..400 {
        let set: BTreeMap<String, String> = (0..numbers.below(12)).map(|_| (numbers.name(), numbers.value())).collect();
        for form in Form::value_variants() {
            let text = export::settings(*form, set.iter().map(|(name, value)| (&**name, &**value)));
            let source = source(reader(*form), &text);
            assert_eq!(source.fallback, None, "{form:?}, round {round}: {text}");
            let read: BTreeMap<String, String> = source
                .settings
                .iter()
                .map(|setting| {
                    (setting.name.clone(), setting.value.text().unwrap_or(setting.value.written()).to_string())
                })
                .collect();
            let mut expected = set.clone();
            // A value may have no form: then it is left out.
            expected.retain(|name, value| !export::settings(*form, [(&**name, &**value)]).is_empty());
            assert_eq!(read, expected, "{form:?}, round {round}: {text}");
            assert!(
                source.settings.iter().all(|setting| setting.broken.is_none() && !setting.conditional),
                "{form:?}: {text}"
            );
        }
    }
}
