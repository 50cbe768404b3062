//! The characters that flows are drawn with.

use crate::knowledge::model::Lane;

/// The strokes of a box.
pub struct BoxStrokes {
    pub across: char,
    pub down: char,
    pub top: [char; 2],
    pub bottom: [char; 2],
    /// Where an arrow leaves the lower edge.
    pub leave: char,
}

/// The strokes of arrows and lanes.
pub struct ArrowStrokes {
    pub across: char,
    pub down: char,
    pub head_down: char,
    pub head_right: char,
    /// From above to the right, from above to the left.
    pub turn: [char; 2],
    /// From the right downwards, from the left downwards.
    pub arrive: [char; 2],
    /// A lane where nothing happens.
    pub lane: char,
}

const LIGHT: BoxStrokes =
    BoxStrokes { across: '─', down: '│', top: ['┌', '┐'], bottom: ['└', '┘'], leave: '┬' };
const ROUND: BoxStrokes =
    BoxStrokes { across: '─', down: '│', top: ['╭', '╮'], bottom: ['╰', '╯'], leave: '┬' };
const HEAVY: BoxStrokes =
    BoxStrokes { across: '━', down: '┃', top: ['┏', '┓'], bottom: ['┗', '┛'], leave: '┯' };
const DOUBLE: BoxStrokes =
    BoxStrokes { across: '═', down: '║', top: ['╔', '╗'], bottom: ['╚', '╝'], leave: '╤' };

const LIGHT_ASCII: BoxStrokes = BoxStrokes { across: '-', down: '|', top: ['+', '+'], bottom: ['+', '+'], leave: '+' };
const ROUND_ASCII: BoxStrokes =
    BoxStrokes { across: '-', down: '|', top: ['.', '.'], bottom: ['\'', '\''], leave: '+' };
const HEAVY_ASCII: BoxStrokes = BoxStrokes { across: '=', down: '#', top: ['#', '#'], bottom: ['#', '#'], leave: '+' };
const DOUBLE_ASCII: BoxStrokes = BoxStrokes { across: '=', down: '|', top: ['+', '+'], bottom: ['+', '+'], leave: '+' };

/// A lane is told by its strokes, which need no colour: GPUs heavy, NICs double, what is between the NICs round, hosts light.
pub fn of_box(lane: Lane, ascii: bool) -> &'static BoxStrokes {
    let [unicode, plain] = match lane {
        Lane::Gpu => [&HEAVY, &HEAVY_ASCII],
        Lane::Nic => [&DOUBLE, &DOUBLE_ASCII],
        Lane::Switch | Lane::Network => [&ROUND, &ROUND_ASCII],
        Lane::Host | Lane::Kernel => [&LIGHT, &LIGHT_ASCII],
    };
    if ascii { plain } else { unicode }
}

/// The strokes of arrows.
pub fn of_arrow(ascii: bool) -> &'static ArrowStrokes {
    const UNICODE: ArrowStrokes = ArrowStrokes {
        across: '─',
        down: '│',
        head_down: '▼',
        head_right: '▶',
        turn: ['└', '┘'],
        arrive: ['┌', '┐'],
        lane: '┊',
    };
    const PLAIN: ArrowStrokes = ArrowStrokes {
        across: '-',
        down: '|',
        head_down: 'v',
        head_right: '>',
        turn: ['+', '+'],
        arrive: ['+', '+'],
        lane: ':',
    };
    if ascii { &PLAIN } else { &UNICODE }
}
