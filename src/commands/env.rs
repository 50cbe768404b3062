//! `rdmanav env`

use crate::answer::{profiles, variables};
use crate::cli::Env;
use crate::commands::exit::Failure;
use crate::commands::output;
use crate::env::export::{self, Form};
use crate::env::settings;

/// Prints the profiles, one profile, one variable, or the variables that match a pattern.
pub fn run(arguments: &Env) -> Result<u8, Failure> {
    let library = crate::library();
    let name = arguments.name.as_deref().map(super::text);
    let profile = name.as_deref().and_then(|name| library.profiles.find(&name.to_lowercase()));
    let Some(profile) = profile else {
        if arguments.form != Form::Table || !arguments.set.is_empty() {
            let ids: Vec<&str> = library.profiles.keys().collect();
            return Err(Failure::Usage(format!("--as and --set need a profile: {}", ids.join(", "))));
        }
        return match name.as_deref() {
            None => output::print(profiles::profiles(&library), &library, arguments.output),
            Some("") => Err(Failure::Usage("the name is empty; profiles and variables: rdmanav env".to_string())),
            Some(name) if name.contains(['*', '?']) => {
                output::print(variables::matching(name, &library)?, &library, arguments.output)
            }
            Some(name) => output::print(variables::variable(name, &library)?, &library, arguments.output),
        };
    };
    let assignments = settings::assignments(&profile, &arguments.set).map_err(Failure::Usage)?;
    match arguments.form {
        Form::Table => {
            let answer = profiles::profile(profile.clone(), &assignments);
            output::print(answer, &library, arguments.output)
        }
        form => output::write(&export::lines(&profile, &assignments, form)),
    }
}
