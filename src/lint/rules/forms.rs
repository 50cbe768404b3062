//! Forms: quotes, blanks and line ends that change a value.

use super::Case;
use crate::lint::{Broken, Form, Kind, NotText, Quote, Setting, Value};
use crate::render::{code, foreign};

impl Case<'_, '_> {
    pub(super) fn form(&mut self, setting: &Setting) {
        if !self.is_of_interest(&setting.name) {
            return;
        }
        if let Some(broken) = setting.broken {
            self.broken(setting, broken);
            return;
        }
        let Value::Literal { text, quote, .. } = &setting.value else { return };
        let (name, text) = (foreign(&setting.name), text.as_str());
        if text.ends_with('\r') {
            let message = format!(
                "{name}: the carriage return at the end of the line belongs to the value. The file has line ends of Windows."
            );
            self.at_value(
                "value-changed",
                setting,
                message,
                "Convert the file: `dos2unix`, or `sed -i 's/\\r$//'`.".to_string(),
            );
        } else if matches!(setting.form, Form::ConfLine | Form::EnvLine) && *quote == Quote::None {
            self.as_it_stands(setting, text);
        } else if setting.form == Form::EnvLine && self.source.kind == Kind::Dotenv && *quote != Quote::None {
            let message = format!(
                "{name}: `docker run --env-file` keeps the quotes as part of the value; readers of .env files take them off."
            );
            let finding = self.at_value(
                "quotes-in-value",
                setting,
                message,
                "Leave the quotes out: both read it then.".to_string(),
            );
            finding.severity = crate::diagnose::Severity::Note;
        }
    }

    /// Files whose readers take all behind the `=`.
    fn as_it_stands(&mut self, setting: &Setting, text: &str) {
        let name = foreign(&setting.name);
        let reader = if setting.form == Form::ConfLine { "NCCL" } else { "`docker run --env-file`" };
        let is_quoted = |quote: char| text.len() > 1 && text.starts_with(quote) && text.trim_end().ends_with(quote);
        if is_quoted('"') || is_quoted('\'') {
            let message = format!("{name}: the quotes belong to the value, as {reader} reads this file.");
            self.at_value("quotes-in-value", setting, message, "Leave the quotes out.".to_string());
        } else if text.contains(" #") {
            let message = format!("{name}: the remark behind the value belongs to it, as {reader} reads this file.");
            self.at_value("quotes-in-value", setting, message, "Put the remark on a line of its own.".to_string());
        } else if text != text.trim() && setting.name == setting.name.trim() {
            let message = format!("{name}: the blank beside the value belongs to it, as {reader} reads this file.");
            self.at_value("value-changed", setting, message, "Take the blank away.".to_string());
        }
    }

    fn broken(&mut self, setting: &Setting, broken: Broken) {
        let name = foreign(&setting.name);
        match broken {
            // In nccl.conf the blank is part of the name: that is said of the name.
            Broken::BlankAroundEquals if setting.form == Form::ConfLine => {}
            Broken::BlankAroundEquals => {
                let message = format!(
                    "{} is no assignment in a shell: the blanks make words of it, and {name} gets no value.",
                    code(&format!("{} = ...", setting.name))
                );
                self.at_name(
                    "value-changed",
                    setting,
                    message,
                    format!("{}, without blanks.", code(&format!("export {}=value", setting.name))),
                );
            }
            Broken::CutAtComma => {
                let message =
                    format!("{name}: the comma ends the value here, what stands behind it is taken for another name.");
                self.at_value(
                    "value-changed",
                    setting,
                    message,
                    format!(
                        "{} before the command, and hand the whole environment on (`--export=ALL`).",
                        code(&format!("export {}=...", setting.name))
                    ),
                );
            }
            Broken::NotText(what)
                if matches!(setting.form, Form::ListItem | Form::Python) || self.source.kind == Kind::Kubernetes =>
            {
                let what = match what {
                    NotText::Boolean => "a boolean",
                    NotText::Number => "an integer or another number",
                    NotText::Null => "nothing",
                    NotText::Collection => "a list or a map",
                };
                let (consumer, advice) = if setting.form == Form::Python {
                    ("`os.environ` takes strings only and raises TypeError", "Write it as a string, in quotes.")
                } else {
                    (
                        "Kubernetes takes strings only and refuses the object",
                        "Put it in quotes, and write 1 or 0 for a switch.",
                    )
                };
                let message =
                    format!("{name}: {} is {what} here, not a string; {consumer}.", foreign(setting.value.written()));
                self.at_value("not-text", setting, message, advice.to_string());
            }
            Broken::NotText(_) => {}
        }
    }

    /// A variable of NCCL, or one whose name says so.
    fn is_of_interest(&self, name: &str) -> bool {
        let bare = name.trim();
        let bare = bare.strip_prefix("export ").unwrap_or(bare);
        bare.starts_with("NCCL_")
            || self.library.variables.find(bare).is_some()
            || self.library.others.find(bare).is_some()
    }
}
