//! Patterns of log lines: literal words, and gaps for what varies.

/// A piece of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A run of letters and digits that must be there, in either case.
    Literal(&'a str),
    /// The beginning of one: a gap follows at once.
    Beginning(&'a str),
    /// Nothing, a word or several; with a name where a table explains the value.
    Gap(&'a str),
}

/// A literal that touches a gap is kept from this length on: `Using{}` is a word, `0x{}` and `mlx5_{}` are pieces of what varies.
const SHORTEST_TOUCHING: usize = 4;

/// The texts between the gaps of a pattern, and the names of the gaps, one after each text but the last.
pub fn split(pattern: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut texts, mut gaps) = (Vec::new(), Vec::new());
    let mut rest = pattern;
    while let Some((before, (gap, after))) =
        rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        texts.push(before);
        gaps.push(gap);
        rest = after;
    }
    texts.push(rest);
    (texts, gaps)
}

/// The pieces of a pattern in their order.
pub fn pieces(pattern: &str) -> Vec<Piece<'_>> {
    let (texts, gaps) = split(pattern);
    let mut pieces = Vec::new();
    for (number, text) in texts.into_iter().enumerate() {
        let gap = gaps.get(number);
        for word in words(text) {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let before_gap = gap.is_some() && start + word.len() == text.len();
            let touches = before_gap || (number > 0 && start == 0);
            if !touches || word.len() >= SHORTEST_TOUCHING {
                pieces.push(if before_gap { Piece::Beginning(word) } else { Piece::Literal(word) });
            }
        }
        pieces.extend(gap.map(|name| Piece::Gap(name)));
    }
    pieces
}

/// The literal words of a pattern.
pub fn literals(pattern: &str) -> Vec<&str> {
    let literal = |piece| match piece {
        Piece::Literal(word) | Piece::Beginning(word) => Some(word),
        Piece::Gap(_) => None,
    };
    pieces(pattern).into_iter().filter_map(literal).collect()
}

/// The words of a line or a pattern: runs of letters and digits.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_words_and_gaps() {
        use Piece::{Beginning, Gap, Literal};
        assert_eq!(
            pieces("NET/IB : error {status}, len {}"),
            [Literal("NET"), Literal("IB"), Literal("error"), Gap("status"), Literal("len"), Gap("")]
        );
        assert_eq!(pieces("Bootstrap : Using{}"), [Literal("Bootstrap"), Beginning("Using"), Gap("")]);
        assert_eq!(literals("mlx{}: cmd 0x{} took {}ms"), ["cmd", "took"]);
        assert_eq!(literals("brace } and {"), ["brace", "and"]);
    }
}
