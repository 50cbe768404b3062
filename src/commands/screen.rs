//! What the terminal can show, from the environment alone: a terminal is never asked, since it may not answer.

use crate::cli::Color;
use crate::render::{Paint, Theme};

/// How to write to a terminal.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// With styles, that is with escape sequences.
    pub styled: bool,
    /// Lines, bullets and text in ASCII only.
    pub ascii: bool,
    pub paint: Paint,
}

/// Looks up a variable of the environment.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Screen {
    /// What the environment says; `is_terminal` is about stdout.
    pub fn new(color: Color, is_terminal: bool, variable: Lookup<'_>) -> Self {
        Screen {
            styled: is_styled(color, is_terminal, variable),
            ascii: is_ascii(variable),
            paint: Paint { theme: theme(variable), hyperlinks: knows_hyperlinks(is_terminal, variable) },
        }
    }
}

fn is_styled(color: Color, is_terminal: bool, variable: Lookup<'_>) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if is_forced(variable) => true,
        Color::Auto => {
            // Any value of NO_COLOR but the empty one (<https://no-color.org>).
            is_terminal && !is_set("NO_COLOR", variable) && variable("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Set, not empty and not `0` (<https://bixense.com/clicolors>).
fn is_forced(variable: Lookup<'_>) -> bool {
    variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0")
}

fn is_set(name: &str, variable: Lookup<'_>) -> bool {
    variable(name).is_some_and(|value| !value.is_empty())
}

/// The locale says that it is not UTF-8. When it says nothing, as in bare containers, terminals show UTF-8 all the same.
fn is_ascii(variable: Lookup<'_>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

/// `RDMANAV_THEME`, else the background that `COLORFGBG` names, else one for both.
fn theme(variable: Lookup<'_>) -> Theme {
    match variable("RDMANAV_THEME").unwrap_or_default().to_lowercase().as_str() {
        "dark" => return Theme::Dark,
        "light" => return Theme::Light,
        "none" => return Theme::NoColors,
        _ => {}
    }
    // `foreground;background` or `foreground;default;background`, as colours of the palette.
    let background = variable("COLORFGBG").and_then(|colors| colors.rsplit(';').next()?.parse::<u8>().ok());
    match background {
        Some(0..=6 | 8) => Theme::Dark,
        Some(7 | 9..=15) => Theme::Light,
        _ if has_256_colors(variable) => Theme::Both,
        _ => Theme::NoColors,
    }
}

/// The terminals that have 16 colours at most say so by their name.
fn has_256_colors(variable: Lookup<'_>) -> bool {
    let term = variable("TERM").unwrap_or_default();
    let old = ["linux", "vt", "ansi", "cons", "sun", "xterm-16color", "screen-16color", "rxvt-16color", "cygwin"];
    is_set("COLORTERM", variable) || !old.iter().any(|name| term.starts_with(name))
}

/// Whether the terminal is known to show OSC 8 hyperlinks, or at least to swallow them. Others print the address as text, or worse.
fn knows_hyperlinks(is_terminal: bool, variable: Lookup<'_>) -> bool {
    if let Some(forced) = variable("FORCE_HYPERLINK").filter(|value| !value.is_empty()) {
        return forced != "0";
    }
    let term = variable("TERM").unwrap_or_default();
    if !is_terminal || term == "dumb" || term == "linux" || is_set("INSIDE_EMACS", variable) || is_set("STY", variable)
    {
        return false;
    }
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    let version = variable("TERM_PROGRAM_VERSION").map_or((0, 0), |version| major_minor(&version));
    let number = |name: &str| variable(name).and_then(|value| value.parse::<u32>().ok()).unwrap_or(0);
    // A multiplexer stands between the terminal that set the other variables and us.
    if is_set("TMUX", variable) || program == "tmux" || term.starts_with("tmux") || term.starts_with("screen") {
        return program == "tmux" && version >= (3, 4);
    }
    let by_program = match &*program {
        "iTerm.app" => version >= (3, 1),
        "vscode" => version >= (1, 72),
        "WezTerm" | "ghostty" | "rio" | "mintty" | "Tabby" | "zed" | "WarpTerminal" => true,
        _ => false,
    };
    let by_term = ["xterm-kitty", "xterm-ghostty", "wezterm", "foot", "contour", "rio", "alacritty"];
    by_program
        || by_term.iter().any(|name| term.starts_with(name))
        // VTE 0.50.0 crashed on them.
        || number("VTE_VERSION") >= 5001
        || number("KONSOLE_VERSION") >= 201_200
        || ["WT_SESSION", "KITTY_WINDOW_ID", "ALACRITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR", "DOMTERM"]
            .iter()
            .any(|name| is_set(name, variable))
}

fn major_minor(version: &str) -> (u32, u32) {
    let digits = |text: Option<&str>| {
        let text = text.unwrap_or_default();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..end].parse().unwrap_or(0)
    };
    let mut parts = version.split('.');
    (digits(parts.next()), digits(parts.next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(is_terminal: bool, variables: &[(&str, &str)]) -> Screen {
        let lookup =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_string());
        Screen::new(Color::Auto, is_terminal, &lookup)
    }

    #[test]
    fn hyperlinks_are_for_terminals_that_are_known_to_take_them() {
        for (variables, expected) in [
            (&[] as &[(&str, &str)], false),
            (&[("TERM", "xterm-256color")], false),
            (&[("TERM", "xterm-kitty")], true),
            (&[("TERM", "foot-extra")], true),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7006")], true),
            (&[("VTE_VERSION", "5000")], false),
            (&[("VTE_VERSION", "x")], false),
            (&[("TERM_PROGRAM", "iTerm.app"), ("TERM_PROGRAM_VERSION", "3.5.10")], true),
            (&[("TERM_PROGRAM", "iTerm.app"), ("TERM_PROGRAM_VERSION", "3.0")], false),
            (&[("TERM_PROGRAM", "vscode"), ("TERM_PROGRAM_VERSION", "1.100.2")], true),
            (&[("TERM_PROGRAM", "Apple_Terminal"), ("TERM_PROGRAM_VERSION", "455")], false),
            (&[("WT_SESSION", "6d4a")], true),
            (&[("KONSOLE_VERSION", "230804")], true),
            (&[("KONSOLE_VERSION", "190800")], false),
            // Variables of the terminal around a multiplexer say nothing about the multiplexer.
            (&[("VTE_VERSION", "7006"), ("TMUX", "/tmp/x,1,0"), ("TERM", "screen-256color")], false),
            (&[("TMUX", "x"), ("TERM_PROGRAM", "tmux"), ("TERM_PROGRAM_VERSION", "3.4")], true),
            (&[("TMUX", "x"), ("TERM_PROGRAM", "tmux"), ("TERM_PROGRAM_VERSION", "3.3a")], false),
            (&[("KITTY_WINDOW_ID", "1"), ("STY", "1.pts")], false),
            (&[("VTE_VERSION", "7006"), ("TERM", "dumb")], false),
            (&[("KITTY_WINDOW_ID", "1"), ("TERM", "linux")], false),
            (&[("VTE_VERSION", "7006"), ("FORCE_HYPERLINK", "0")], false),
            (&[("TERM", "xterm"), ("FORCE_HYPERLINK", "1")], true),
            (&[("TERM", "xterm"), ("FORCE_HYPERLINK", "")], false),
        ] {
            assert_eq!(screen(true, variables).paint.hyperlinks, expected, "{variables:?}");
        }
        assert!(!screen(false, &[("TERM", "xterm-kitty")]).paint.hyperlinks);
    }

    #[test]
    fn the_theme_is_set_or_follows_the_background() {
        for (variables, expected) in [
            (&[("TERM", "xterm-256color")] as &[(&str, &str)], Theme::Both),
            (&[("TERM", "linux")], Theme::NoColors),
            (&[("TERM", "vt220")], Theme::NoColors),
            (&[("COLORFGBG", "15;0")], Theme::Dark),
            (&[("COLORFGBG", "0;default;15")], Theme::Light),
            (&[("COLORFGBG", "0;default")], Theme::Both),
            (&[("COLORFGBG", "0;15"), ("RDMANAV_THEME", "dark")], Theme::Dark),
            (&[("RDMANAV_THEME", "Light")], Theme::Light),
            (&[("RDMANAV_THEME", "none")], Theme::NoColors),
            (&[("COLORFGBG", "15;0"), ("RDMANAV_THEME", "auto")], Theme::Dark),
        ] {
            assert_eq!(screen(true, variables).paint.theme, expected, "{variables:?}");
        }
    }

    #[test]
    fn styles_are_for_terminals() {
        assert!(screen(true, &[]).styled);
        assert!(!screen(false, &[]).styled);
        assert!(!screen(true, &[("TERM", "dumb")]).styled);
        assert!(!screen(true, &[("NO_COLOR", "1")]).styled);
        assert!(screen(true, &[("NO_COLOR", "")]).styled);
        assert!(screen(false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).styled);
    }

    #[test]
    fn the_locale_decides_about_ascii() {
        assert!(!screen(true, &[]).ascii);
        assert!(screen(true, &[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]).ascii);
        assert!(!screen(true, &[("LC_ALL", ""), ("LANG", "en_US.utf8")]).ascii);
        assert!(screen(true, &[("LANG", "de_DE")]).ascii);
    }
}
