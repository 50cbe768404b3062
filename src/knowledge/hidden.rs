//! Characters that can hide what a text says: they drive a terminal, reorder the text, end a line for some readers only, or are not seen
//! at all and are read by programs all the same.

/// The first hidden character of a text, and where it is. Line feeds and tabs are none.
pub fn first_hidden(text: &str) -> Option<(usize, char)> {
    let mut before = None;
    text.char_indices().find(|&(_, c)| is_hidden(before.replace(c), c) && !matches!(c, '\n' | '\t'))
}

/// It is a control character, or is not seen where it stands, behind `before`.
pub fn is_hidden(before: Option<char>, c: char) -> bool {
    match c {
        '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => !before.is_some_and(|before| is_joined(before, c)),
        c => can_hide(c),
    }
}

/// It is hidden, if not everywhere: joiners of emoji and of scripts can be legitimate.
pub fn can_hide(c: char) -> bool {
    // Control characters, and what Unicode calls Default_Ignorable_Code_Point (DerivedCoreProperties.txt), with the two line ends that are no
    // control characters, the marks of interlinear notes, the controls of hieroglyphs, and what is no character at all.
    match c {
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' => true,
        ..'\u{34f}' => false,
        c => {
            matches!(c,
            '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
                || c as u32 & 0xfffe == 0xfffe
        }
    }
}

/// A joiner or a style of an emoji belongs to what stands before it: an emoji, a letter of a script that joins, a digit of a keycap; one
/// joiner may follow a style. So of those that mean nothing none stays, and no run of them.
fn is_joined(before: char, c: char) -> bool {
    match before {
        '\u{fe0e}' | '\u{fe0f}' => c == '\u{200d}',
        '0'..='9' | '#' | '*' => c == '\u{fe0f}',
        before => !before.is_ascii() && !before.is_whitespace() && !can_hide(before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_hidden() {
        for c in "\u{1b}\u{85}\u{ad}\u{61c}\u{115f}\u{180e}\u{200b}\u{202e}\u{2028}\u{2029}\u{2060}\u{206a}\u{3164}\u{feff}\u{ffa0}\u{fff9}\u{fdd0}\u{fffe}\u{1ffff}\u{e0041}\u{e0100}"
            .chars()
        {
            assert_eq!(first_hidden(&format!("é{c}x")), Some((2, c)), "U+{:04X}", c as u32);
        }
        assert_eq!(first_hidden("plain\n\ttext, Größe 5 µs, 日本語, ﷽"), None);
    }

    #[test]
    fn joiners_stay_where_they_join() {
        for text in [
            "👩\u{200d}💻",
            "❤\u{fe0f}\u{200d}🔥",
            "⚠\u{fe0f} careful",
            "1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
        ] {
            assert_eq!(first_hidden(text), None, "{text}");
        }
        for text in
            ["a\u{200d}b", "\u{fe0f}", "é\u{200c}\u{200d}", "👩\u{200d}\u{200d}", "⚠\u{fe0f}\u{fe0f}", " \u{200d}"]
        {
            assert!(first_hidden(text).is_some(), "{text:?}");
        }
    }
}
