//! Reads lines of any length from plain or compressed input, with memory that does not grow.

use std::io::{self, BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;

/// Of a longer line of a log the beginning is looked at.
pub const LONGEST_LINE: usize = 64 * 1024;

/// The longest line of `--jsonl` that is read.
pub const LONGEST_DIGEST: usize = 64 * 1024 * 1024;

const BUFFER: usize = 256 * 1024;

/// Calls `take` with the number and at most `longest` bytes of each line. The end of a compressed file that is cut short is an error after what could
/// be read.
pub fn lines(input: impl Read, longest: usize, mut take: impl FnMut(usize, &[u8])) -> io::Result<()> {
    let mut input = BufReader::with_capacity(BUFFER, input);
    let start = input.fill_buf()?;
    let (is_empty, is_gzip) = (start.is_empty(), start.starts_with(&[0x1f, 0x8b]));
    if is_empty {
        // A terminal would be asked a second time.
        Ok(())
    } else if is_gzip {
        split(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(input)), longest, &mut take)
    } else {
        split(input, longest, &mut take)
    }
}

fn split(mut input: impl BufRead, longest: usize, take: &mut impl FnMut(usize, &[u8])) -> io::Result<()> {
    let mut number = 0;
    // The beginning of a line that goes on in the next buffer.
    let mut begun: Vec<u8> = Vec::new();
    let mut is_begun = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                if is_begun {
                    take(number + 1, &begun);
                }
                return Err(error);
            }
        };
        if buffer.is_empty() {
            if is_begun {
                take(number + 1, &begun);
            }
            return Ok(());
        }
        let length = buffer.len();
        let mut rest = buffer;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            number += 1;
            let line = &rest[..end];
            if is_begun {
                append(&mut begun, line, longest);
                take(number, &begun);
                begun.clear();
                is_begun = false;
            } else {
                take(number, &line[..line.len().min(longest)]);
            }
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            append(&mut begun, rest, longest);
            is_begun = true;
        }
        input.consume(length);
    }
}

fn append(begun: &mut Vec<u8>, bytes: &[u8], longest: usize) {
    let room = longest.saturating_sub(begun.len());
    begun.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut seen = Vec::new();
        lines(bytes, LONGEST_LINE, |number, line| seen.push((number, line.len()))).unwrap();
        seen
    }

    #[test]
    fn lines_of_any_length_are_read() {
        assert_eq!(read(b""), []);
        assert_eq!(read(b"a\nbb"), [(1, 1), (2, 2)]);
        assert_eq!(read(b"\n\n"), [(1, 0), (2, 0)]);
        let long = vec![b'x'; 3 * BUFFER];
        assert_eq!(read(&[&long[..], b"\nend\n"].concat()), [(1, LONGEST_LINE), (2, 3)]);
    }

    #[test]
    fn a_compressed_file_is_read_as_far_as_it_goes() {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(b"one\ntwo\n").unwrap();
        let bytes = encoder.finish().unwrap();
        assert_eq!(read(&bytes), [(1, 3), (2, 3)]);
        assert!(lines(&bytes[..bytes.len() - 6], LONGEST_LINE, |_, _| {}).is_err());
    }
}
