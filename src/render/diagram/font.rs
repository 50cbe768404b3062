//! How wide text is in the fonts that a browser may choose for an SVG.

// Widths of the ASCII characters from the space on, in thousandths of the font size: for each the greater of the advance widths in
// DejaVu Sans 2.37 and in Liberation Sans 1.07.4, which has the metrics of Arial and Helvetica. Text is never wider than measured here,
// and in Arial one eighth narrower.

const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, 637, 637, 637, 637, 637, 637, 637,
    637, 637, 637, 337, 337, 838, 838, 838, 557, 1016, 685, 687, 723, 771, 667, 611, 778, 752, 295, 500, 667, 558, 863,
    749, 788, 667, 788, 723, 667, 611, 732, 685, 989, 686, 667, 686, 391, 337, 391, 838, 557, 500, 613, 635, 550, 635,
    616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637,
    337, 637, 838,
];

const BOLD: [u16; 95] = [
    349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366, 696, 696, 696, 696, 696, 696, 696,
    696, 696, 696, 400, 400, 838, 838, 838, 611, 1000, 774, 763, 734, 831, 684, 684, 821, 837, 373, 557, 775, 638, 996,
    837, 851, 733, 851, 771, 721, 683, 813, 774, 1104, 771, 725, 726, 458, 366, 458, 838, 557, 500, 675, 716, 593, 716,
    679, 436, 716, 712, 343, 343, 666, 343, 1042, 712, 688, 716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712,
    366, 712, 838,
];

/// A font: size in pixels, and weight.
#[derive(Clone, Copy)]
pub struct Font {
    pub size: f32,
    pub bold: bool,
}

impl Font {
    /// The most pixels that a text takes.
    pub fn width(self, text: &str) -> f32 {
        let table = if self.bold { &BOLD } else { &REGULAR };
        let thousandths: u32 = text.chars().map(|c| width_of(c, table)).sum();
        thousandths as f32 * self.size / 1000.0
    }

    /// Text in lines of at most `width` pixels: broken at spaces, and inside a word only when it is longer than a line.
    pub fn wrap(self, text: &str, width: f32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut line = String::new();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let space = if line.is_empty() { "" } else { " " };
            if self.width(&line) + self.width(space) + self.width(word) <= width {
                line.push_str(space);
                line.push_str(word);
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            for c in word.chars() {
                if !line.is_empty() && self.width(&line) + self.width(c.encode_utf8(&mut [0; 4])) > width {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(c);
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
        lines
    }
}

/// Outside of ASCII fonts differ: a bound from the columns that a terminal would give the character.
fn width_of(c: char, table: &[u16; 95]) -> u32 {
    match (c as usize).checked_sub(32).and_then(|index| table.get(index)) {
        Some(width) => u32::from(*width),
        None => unicode_width::UnicodeWidthChar::width(c).map_or(0, |columns| columns as u32 * 1000),
    }
}
