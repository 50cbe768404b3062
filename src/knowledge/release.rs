//! NCCL releases, to be compared.

use std::fmt;

/// A release: major, minor, patch. A patch that is not named is the newest of its minor release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    major: u16,
    minor: u16,
    patch: u16,
}

const NEWEST_PATCH: u16 = u16::MAX;

impl Release {
    /// Reads `2.22`, `2.22.3`, or as tags are written, `v2.22.3-1`. The part behind the hyphen is not looked at.
    pub fn parse(text: &str) -> Option<Release> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let text = text.split_once('-').map_or(text, |(release, _)| release);
        let mut numbers = text.split('.').map(|number| number.parse::<u16>().ok());
        let (major, minor) = (numbers.next()??, numbers.next()??);
        let patch = match numbers.next() {
            Some(patch) => patch?,
            None => NEWEST_PATCH,
        };
        if numbers.next().is_some() { None } else { Some(Release { major, minor, patch }) }
    }

    /// The release is named without its patch, and the other one is a patch of it.
    pub fn covers(self, other: Release) -> bool {
        self.patch == NEWEST_PATCH && (self.major, self.minor) == (other.major, other.minor)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.patch == NEWEST_PATCH { Ok(()) } else { write!(f, ".{}", self.patch) }
    }
}

#[cfg(test)]
mod tests {
    use super::Release;

    #[test]
    fn releases_are_compared_by_number() {
        let release = |text| Release::parse(text).unwrap();
        assert!(release("2.9.9") < release("2.10.3"));
        assert!(release("2.22.3") < release("2.22"));
        assert!(release("2.22") < release("2.23.4"));
        assert_eq!(release("v2.22.3-1"), release("2.22.3"));
        assert_eq!(release("2.3.5-5").to_string(), "2.3.5");
        assert_eq!(release("2.22").to_string(), "2.22");
    }

    #[test]
    fn what_is_no_release_is_refused() {
        for text in ["", "2", "2.x", "2.22.3.1", "latest", "2..3", "-2.3", "2.99999"] {
            assert_eq!(Release::parse(text), None, "{text}");
        }
    }
}
