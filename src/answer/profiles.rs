//! `env` and `env PROFILE`: named sets of NCCL settings.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Answer, cell, code, footnotes, from_pack, next};
use crate::env::settings::{Assignment, Source};
use crate::knowledge::Library;
use crate::knowledge::library::NCCL_RELEASE;
use crate::knowledge::model::{Action, Profile, Status};
use crate::knowledge::release::Release;

/// All profiles.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProfilesAnswer<'a> {
    schema: &'static str,
    profiles: Vec<Summary<'a>>,
    /// The number of variables that `env VARIABLE` knows.
    variables: usize,
    nccl: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "the JSON names it as the content does")]
struct Summary<'a> {
    id: &'a str,
    title: &'a str,
    summary: &'a str,
    variables: usize,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<&'a str>,
}

/// All profiles, and how many variables are known.
pub fn profiles<'a>(library: &Library<'a>) -> ProfilesAnswer<'a> {
    let profiles = library.profiles.iter().map(|profile| Summary {
        id: profile.id,
        title: profile.title,
        summary: profile.summary,
        variables: profile.variables.len(),
        origin: library.origin(&format!("profile {}", profile.id)),
    });
    ProfilesAnswer {
        schema: "rdmanav.profiles/1",
        profiles: profiles.collect(),
        variables: library.variables.len(),
        nccl: NCCL_RELEASE,
    }
}

/// What the ids of profiles for clouds begin with.
const CLOUDS: [&str; 8] = ["aws", "azure", "coreweave", "crusoe", "gcp", "nebius", "oci", "together"];

impl Answer for ProfilesAnswer<'_> {
    fn document(&self, _library: &Library<'_>) -> String {
        let mut out = String::new();
        let is_cloud = |profile: &&Summary<'_>| CLOUDS.contains(&profile.id.split('-').next().unwrap_or_default());
        let (clouds, others): (Vec<_>, Vec<_>) = self.profiles.iter().partition(is_cloud);
        for (heading, profiles) in [("Networks and machines", others), ("Clouds", clouds)] {
            out.push_str(&format!("## {heading}\n\n| Profile | For |\n|---|---|\n"));
            for profile in profiles {
                out.push_str(&format!("| `{}` | {}{} |\n", profile.id, cell(profile.title), from_pack(profile.origin)));
            }
            out.push('\n');
        }
        out.push_str(&format!("{} variables of NCCL up to {}.\n", self.variables, self.nccl));
        out.push_str(&next(&[
            "`rdmanav env PROFILE` prints a profile",
            "`rdmanav env VARIABLE` one variable",
            "`rdmanav env 'NCCL_IB_*'` those that match",
        ]));
        out
    }
}

/// A profile with the values that the user filled in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProfileAnswer<'a> {
    schema: &'static str,
    id: &'a str,
    title: &'a str,
    summary: &'a str,
    sections: Vec<&'a str>,
    /// The release that was asked for, or the newest that was read.
    nccl: String,
    variables: Vec<Row<'a>>,
    /// The pack that it is from; `null` for what is embedded.
    origin: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Row<'a> {
    name: &'a str,
    value: String,
    action: Action,
    status: Status,
    /// The value was given with `--set`.
    given: bool,
    since: Option<&'a str>,
    before: Option<&'a str>,
    why: &'a str,
    sources: Vec<&'a str>,
}

/// A profile; `assignments` are its variables in order, with their values.
pub fn profile<'a>(
    profile: Profile<'a>,
    release: Option<Release>,
    assignments: &[Assignment<'_>],
) -> ProfileAnswer<'a> {
    let rows = profile.variables.into_iter().zip(assignments).map(|(setting, assignment)| Row {
        name: setting.name,
        value: assignment.value.to_string(),
        action: setting.action,
        status: setting.status,
        given: assignment.source == Source::Given,
        since: setting.since,
        before: setting.before,
        why: setting.why,
        sources: setting.sources,
    });
    ProfileAnswer {
        schema: "rdmanav.profile/1",
        id: profile.id,
        title: profile.title,
        summary: profile.summary,
        sections: profile.sections,
        nccl: release.map_or(NCCL_RELEASE.to_string(), |release| release.to_string()),
        variables: rows.collect(),
        origin: None,
    }
}

/// What the table says of an action.
fn advice(action: Action, given: bool) -> &'static str {
    match action {
        _ if given => "set (given)",
        Action::Set => "set",
        Action::Default => "no, default",
        Action::Site => "site-specific",
        Action::Avoid => "do not set",
        Action::Done => "no, done",
        Action::Older => "see why",
    }
}

impl Answer for ProfileAnswer<'_> {
    fn resolve(&mut self, library: &Library<'_>) {
        self.origin = library.origin(&format!("profile {}", self.id)).map(str::to_string);
    }

    fn document(&self, library: &Library<'_>) -> String {
        let pack = from_pack(library.origin(&format!("profile {}", self.id)));
        let mut out = format!("# {}{pack}\n\n{}\n\n", self.title, self.summary);
        out.push_str("| Variable | Value | Set it? | Since NCCL |\n|---|---|---|---|\n");
        for row in &self.variables {
            out.push_str(&format!(
                "| `{}` | {} | {} | {} |\n",
                row.name,
                cell(&code(&row.value)),
                advice(row.action, row.given),
                row.since.unwrap_or("any")
            ));
        }
        out.push_str(&format!("\nFor NCCL {}. Site-specific values are examples.\n\n## Why\n\n", self.nccl));
        for row in &self.variables {
            let before = row.before.map_or(String::new(), |before| format!(" On older releases: {before}."));
            out.push_str(&format!("- `{}`: {}{before} {}\n", row.name, row.why, footnotes(&row.sources)));
        }
        out.push_str(&format!(
            "\n## Use it\n\n- `rdmanav env {id} --as export --set NAME=VALUE` prints what must be set, for a shell; `--as conf` for nccl.conf.\n\
             - `rdmanav lint --profile {id} FILE` says what is wrong in a script or manifest for it.\n\
             - `rdmanav env NAME` says all about one variable.\n",
            id = self.id
        ));
        for id in &self.sections {
            out.push_str(&format!("- `rdmanav show {id}`\n"));
        }
        out
    }
}
