//! `rdmanav check`

use std::time::{SystemTime, UNIX_EPOCH};

use crate::answer::check;
use crate::cli::{Check, FailOn, Format};
use crate::commands::exit::{Failure, NOTHING_FOUND};
use crate::commands::output;

/// Checks a directory, or counts the claims of the embedded content.
pub fn run(arguments: &Check) -> Result<u8, Failure> {
    let library = super::packs::named_only(&arguments.packs);
    let answer = match &arguments.directory {
        None => check::embedded(&library),
        Some(path) => check::directory(path, &today(), &library)
            .map_err(|error| Failure::Usage(format!("{} cannot be read: {error}", super::text(path.as_os_str()))))?,
    };
    let least = FailOn::severity(arguments.fail_on);
    let failed = answer.worst() >= Some(least);
    if output::format(arguments.output) != Format::Json {
        // As compilers print them, so that editors and people find the place.
        let lines: Vec<String> = answer.findings.iter().map(|finding| format!("{finding}\n")).collect();
        output::write(&lines.concat())?;
    }
    let status = output::print(answer, &library, arguments.output)?;
    Ok(if failed { NOTHING_FOUND } else { status })
}

/// The day in UTC, `YYYY-MM-DD`.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    date(seconds / 86_400)
}

/// The date of a day, counted from 1970-01-01 (proleptic Gregorian calendar, by eras of 400 years from 0000-03-01).
fn date(day: u64) -> String {
    let shifted = day + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year_of_era + year)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_dates() {
        for (day, expected) in
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_786, "2026-11-29")]
        {
            assert_eq!(date(day), expected);
        }
    }
}
