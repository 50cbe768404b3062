//! What the styles look like.

use anstyle::{Ansi256Color, Effects, Style as Ansi};

use super::lines::Style;

/// A set of colours. Those of [`Theme::Dark`], [`Theme::Light`] and [`Theme::Both`] are of the fixed part of the 256-colour palette, so that
/// their contrast is known: of the 16 colours, which each terminal sets as it likes, none but bright red reaches 3:1 on both black and
/// white in the usual palettes (`docs/terminals.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// For light text on a dark background.
    Dark,
    /// For dark text on a light background.
    Light,
    /// For a background that is not known.
    #[default]
    Both,
    /// Bold, underlined and dim text, no colours.
    NoColors,
}

/// The colours that a theme adds.
struct Colors {
    heading: u8,
    code: u8,
    /// In place of dim text, whose look each terminal decides.
    faint: Option<u8>,
    myth: u8,
    note: u8,
}

impl Theme {
    fn colors(self) -> Option<Colors> {
        Some(match self {
            Theme::Dark => Colors { heading: 117, code: 151, faint: Some(248), myth: 216, note: 222 },
            Theme::Light => Colors { heading: 24, code: 22, faint: Some(241), myth: 124, note: 94 },
            Theme::Both => Colors { heading: 31, code: 31, faint: None, myth: 196, note: 166 },
            Theme::NoColors => return None,
        })
    }

    /// How a style is written. Headings and links differ from text, and from each other, without their colour too.
    pub fn look(self, style: Style) -> Ansi {
        let colors = self.colors();
        let colored = |pick: fn(&Colors) -> u8, effects: Effects| {
            let color = colors.as_ref().map(|colors| Ansi256Color(pick(colors)).into());
            Ansi::new().fg_color(color).effects(effects)
        };
        match style {
            Style::Plain => Ansi::new(),
            Style::Strong | Style::Term => Ansi::new().bold(),
            Style::Emphasis => Ansi::new().italic(),
            Style::StrongEmphasis => Ansi::new().bold().italic(),
            // Without colours, as in manual pages.
            Style::Code if colors.is_none() => Ansi::new().bold(),
            Style::Code => colored(|colors| colors.code, Effects::new()),
            Style::Title => colored(|colors| colors.heading, Effects::BOLD | Effects::UNDERLINE),
            Style::Heading => colored(|colors| colors.heading, Effects::BOLD),
            Style::Subheading => Ansi::new().underline(),
            Style::Link => colored(|colors| colors.heading, Effects::UNDERLINE),
            Style::Faint => match colors.as_ref().and_then(|colors| colors.faint) {
                Some(faint) => Ansi::new().fg_color(Some(Ansi256Color(faint).into())),
                None => Ansi::new().dimmed(),
            },
            Style::Myth => colored(|colors| colors.myth, Effects::BOLD),
            Style::Note => colored(|colors| colors.note, Effects::BOLD),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.2) of a colour of the 256-colour palette's fixed part.
    fn luminance([red, green, blue]: [u8; 3]) -> f64 {
        let linear = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    fn rgb(index: u8) -> [u8; 3] {
        if index >= 232 {
            return [8 + 10 * (index - 232); 3];
        }
        assert!(index >= 16, "{index} is not the same on all terminals");
        let levels = [0, 95, 135, 175, 215, 255];
        let index = usize::from(index - 16);
        [levels[index / 36], levels[index / 6 % 6], levels[index % 6]]
    }

    fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// xterm, Windows, VS Code, Solarized, Dracula, Nord, Ubuntu.
    const DARK: [[u8; 3]; 7] =
        [[0, 0, 0], [12, 12, 12], [30, 30, 30], [0, 43, 54], [40, 42, 54], [46, 52, 64], [48, 10, 36]];

    /// xterm, GNOME, Solarized, a grey one.
    const LIGHT: [[u8; 3]; 3] = [[255, 255, 255], [253, 246, 227], [238, 238, 238]];

    fn worst(theme: Theme, backgrounds: &[[u8; 3]]) -> f64 {
        let colors = theme.colors().unwrap();
        let used = [Some(colors.heading), Some(colors.code), colors.faint, Some(colors.myth), Some(colors.note)];
        used.into_iter()
            .flatten()
            .flat_map(|color| backgrounds.iter().map(move |background| contrast(rgb(color), *background)))
            .fold(f64::MAX, f64::min)
    }

    #[test]
    fn every_color_can_be_read_on_the_usual_backgrounds() {
        // 4.5 is what WCAG asks of text; 3 what it asks of large or bold text. No colour reaches 4.5 on all of these.
        assert!(worst(Theme::Dark, &DARK) >= 4.5, "{}", worst(Theme::Dark, &DARK));
        assert!(worst(Theme::Light, &LIGHT) >= 4.5, "{}", worst(Theme::Light, &LIGHT));
        let both = worst(Theme::Both, &DARK[..5]).min(worst(Theme::Both, &LIGHT));
        assert!(both >= 3.2, "{both}");
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn headings_differ_without_their_color() {
        for theme in [Theme::Dark, Theme::Light, Theme::Both, Theme::NoColors] {
            let levels = [Style::Title, Style::Heading, Style::Subheading, Style::Plain];
            let effects = levels.map(|style| theme.look(style).get_effects());
            for (index, effect) in effects.iter().enumerate() {
                assert!(!effects[..index].contains(effect), "{theme:?}: {effects:?}");
            }
        }
    }
}
