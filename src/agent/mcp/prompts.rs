//! Prompts for the common jobs. What the user pasted is fenced.

use super::Server;
use super::limits::Stop;
use super::tools::{self, LONGEST_WORDS};
use crate::agent::context;
use crate::render;

/// A prompt.
pub struct Prompt {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub arguments: &'static [Argument],
    text: Text,
}

/// Makes the text of a prompt. The last argument gives the value of an argument by its name.
type Text = fn(&Server, &Stop, &dyn Fn(&str) -> String) -> String;

/// An argument of a prompt.
pub struct Argument {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
}

/// Of longer text the beginning and the end are quoted.
const MOST_QUOTED: usize = 6000;

/// The budget of the knowledge that is put in front.
const TOKENS: usize = 1500;

/// All prompts, in the order in which they are listed.
pub const PROMPTS: &[Prompt] = &[
    Prompt {
        name: "triage-slow-job",
        title: "Triage a slow or failing job",
        description: "Find out why a multi-node GPU job is slow, hangs or fails.",
        arguments: &[
            Argument { name: "symptom", description: "What is seen: slow, hangs, an error line", required: true },
            Argument { name: "log", description: "Output of the job with NCCL_DEBUG=INFO", required: false },
        ],
        text: triage,
    },
    Prompt {
        name: "review-settings",
        title: "Review NCCL settings",
        description: "Check the NCCL settings of a job script, image or environment.",
        arguments: &[
            Argument {
                name: "settings",
                description: "The script, Dockerfile, YAML, nccl.conf or output of env",
                required: true,
            },
            Argument { name: "profile", description: "The kind of cluster, such as roce", required: false },
            Argument { name: "nccl", description: "The NCCL release, such as 2.22.3", required: false },
        ],
        text: review,
    },
];

impl Prompt {
    /// The text, with the arguments filled in; the name of a missing or unknown argument when it cannot be made.
    pub fn fill(
        &self,
        server: &Server,
        given: &serde_json::Map<String, serde_json::Value>,
        stop: &Stop,
    ) -> Result<String, String> {
        if let Some(name) = given.keys().find(|name| self.arguments.iter().all(|argument| argument.name != **name)) {
            let known: Vec<&str> = self.arguments.iter().map(|argument| argument.name).collect();
            return Err(format!("{} has no argument {}; it has: {}", self.name, render::short(name), known.join(", ")));
        }
        let value = |name: &str| given.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_string();
        if let Some(missing) =
            self.arguments.iter().find(|argument| argument.required && value(argument.name).trim().is_empty())
        {
            return Err(format!("{} needs the argument {}: {}", self.name, missing.name, missing.description));
        }
        Ok((self.text)(server, stop, &value))
    }
}

fn triage(server: &Server, stop: &Stop, argument: &dyn Fn(&str) -> String) -> String {
    let (symptom, log) = (argument("symptom"), argument("log"));
    let mut out = format!(
        "A multi-node GPU job is slow or fails. Find the cause with the tools of the server rdmanav, and say how to prove and repair it.\n\n{}\n",
        quote("what the user sees", &symptom)
    );
    if log.trim().is_empty() {
        out.push_str("No log was given. If the knowledge below does not settle it, ask for the output of all ranks with NCCL_DEBUG=INFO.\n\n");
    } else {
        let diagnose = tools::TOOLS.iter().find(|tool| tool.name == "diagnose");
        let found = diagnose.map(|tool| tool.call(server, serde_json::json!({ "log": log }), stop));
        match found {
            Some(Ok(reply)) => out.push_str(&format!("The tool diagnose says of the log:\n\n{}\n", reply.text)),
            Some(Err(why)) => out
                .push_str(&format!("The tool diagnose could not read the log: {why}\n\n{}\n", quote("the log", &log))),
            None => {}
        }
    }
    let asked = symptom.char_indices().nth(LONGEST_WORDS).map_or(&*symptom, |(end, _)| &symptom[..end]);
    let found = context::of_question(&render::clean_line(asked), &server.searcher);
    if let Ok(pack) = found.and_then(|found| found.pack(TOKENS)) {
        out.push_str(&format!("Knowledge that may fit, with sources:\n\n{}\n", pack.text));
    }
    out.push_str(
        "Steps:\n\n\
         1. Take the first error in time, not the last: later ones are often consequences.\n\
         2. Call query with the exact error line or symptom for anything that is not explained yet, and show for the part that fits.\n\
         3. Before you advise a variable, call env for it: default, since when, and whether a profile marks it as default or site-specific.\n\
         4. Answer with: cause and how sure you are, the check that proves it, the repair, and the sources.\n",
    );
    out
}

fn review(server: &Server, stop: &Stop, argument: &dyn Fn(&str) -> String) -> String {
    let (profile, release) = (render::short(&argument("profile")), render::short(&argument("nccl")));
    let lint = tools::TOOLS.iter().find(|tool| tool.name == "lint");
    let mut asked = serde_json::json!({ "text": argument("settings"), "notes": true });
    if server.searcher.library.profiles.find(&profile.to_lowercase()).is_some() {
        asked["profile"] = profile.as_str().into();
    }
    if crate::knowledge::release::Release::parse(&release).is_some() {
        asked["nccl"] = release.as_str().into();
    }
    let found = match lint.map(|tool| tool.call(server, asked, stop)) {
        Some(Ok(reply)) => format!("The tool lint says of them:\n\n{}\n", reply.text),
        Some(Err(why)) => format!("The tool lint could not judge them:\n\n{}\n", quote("why", &why)),
        None => String::new(),
    };
    let known: Vec<&str> = server.searcher.library.profiles.keys().collect();
    let profile = if known.contains(&&*profile) {
        format!("Call env with the name {profile} for what fits this kind of cluster.")
    } else {
        format!("If the kind of cluster is known, call env with its profile: {}.", known.join(", "))
    };
    let nccl = if crate::knowledge::release::Release::parse(&release).is_some() {
        format!("The NCCL release is {release}: give it to env as nccl.")
    } else {
        "Ask for the NCCL release if a default depends on it.".to_string()
    };
    format!(
        "Review these NCCL settings with the tools of the server rdmanav.\n\n{}\n{found}\
         Steps:\n\n\
         1. Start from what lint found; call it again with profile and nccl when they become known. Call env for a variable that it says nothing of: \
         does NCCL read it, is the value one it takes?\n\
         2. {profile}\n\
         3. {nccl}\n\
         4. Name what is wrong or without effect first, then what is site-specific and cannot be judged from here, then what is right. \
         Give for each the line, the reason and the source.\n",
        quote("the settings", &argument("settings"))
    )
}

/// Foreign text in its fence; of long text the beginning and the end.
fn quote(what: &str, text: &str) -> String {
    let count = text.chars().count();
    if count <= MOST_QUOTED {
        return render::untrusted(what, text);
    }
    let head: String = text.chars().take(MOST_QUOTED / 2).collect();
    let tail: String = text.chars().skip(count - MOST_QUOTED / 2).collect();
    render::untrusted(what, &format!("{head}\n(... {} characters left out ...)\n{tail}", count - MOST_QUOTED))
}
