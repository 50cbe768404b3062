//! A line of a log, taken apart.

/// A line without its prefixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The host that printed it, where the line says so.
    pub host: Option<&'a str>,
    pub pid: Option<u32>,
    /// The CUDA device in brackets.
    pub device: Option<u32>,
    pub level: Option<Level>,
    /// The global rank that a framework's prefix names.
    pub rank: Option<u32>,
    /// When, as a number that grows: year, month, day, hour, minute, second in one.
    pub time: Option<u64>,
    /// What is said.
    pub text: &'a str,
    /// The whole line.
    pub whole: &'a str,
}

/// The level of a line of NCCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Info,
    Warn,
    Trace,
    /// `NCCL version`, printed without a level.
    Version,
}

const MARKS: [(&str, Level); 4] = [
    ("NCCL INFO ", Level::Info),
    ("NCCL WARN ", Level::Warn),
    ("NCCL TRACE ", Level::Trace),
    ("NCCL ABORT ", Level::Warn),
];

/// Takes a line apart. `host:pid:tid [device] NCCL LEVEL text`, behind any prefix of a launcher; since 2.28 a time stands in front, and
/// in a WARN line the place in the source stands before `NCCL`.
pub fn parse(whole: &str) -> Line<'_> {
    let mut line =
        Line { host: None, pid: None, device: None, level: None, rank: None, time: None, text: whole, whole };
    let mark = MARKS.iter().filter_map(|(mark, level)| whole.find(mark).map(|at| (at, mark.len(), *level))).min();
    if let Some((at, length, level)) = mark {
        line.level = Some(level);
        line.text = &whole[at + length..];
        line.time = time(&whole[..at]);
        header(&whole[..at], &mut line);
    } else if let Some(at) = whole.find("NCCL version ").filter(|at| *at == 0 || whole.as_bytes()[at - 1] == b' ') {
        line.level = Some(Level::Version);
        line.text = &whole[at..];
        header(&whole[..at], &mut line);
    }
    if line.level.is_none() {
        line.rank = framework_rank(whole);
        line.host = kernel_host(whole);
    }
    line
}

/// Reads `host:pid:tid [device]` and perhaps `file:line` from the end of what stands before the mark.
fn header<'a>(before: &'a str, line: &mut Line<'a>) {
    for token in before.split(' ').rev().filter(|token| !token.is_empty()) {
        if let Some(device) = token.strip_prefix('[').and_then(|token| token.strip_suffix(']')) {
            if line.device.is_none() {
                line.device = device.parse().ok();
            }
            continue;
        }
        let mut pieces = token.rsplitn(3, ':');
        let (Some(thread), Some(pid), Some(host)) = (pieces.next(), pieces.next(), pieces.next()) else { continue };
        if thread.parse::<u32>().is_ok() && pid.parse::<u32>().is_ok() {
            // What a launcher put in front of the host: `[1,0]<stdout>:`, `0:`.
            let host = host.rsplit(['>', ':', '|', ']']).next().unwrap_or(host);
            line.host = Some(host).filter(|host| !host.is_empty());
            line.pid = pid.parse().ok();
            return;
        }
    }
}

/// The first `2025-06-02 10:14:31` or `2025-06-02T10:14:31` in a prefix, as a number.
fn time(before: &str) -> Option<u64> {
    const FORM: &[u8] = b"dddd-dd-dd dd:dd:dd";
    let is_form = |window: &[u8]| {
        window.iter().zip(FORM).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            b' ' => matches!(byte, b' ' | b'T'),
            _ => byte == form,
        })
    };
    let found = before.as_bytes().windows(FORM.len()).find(|window| is_form(window))?;
    let digits = found.iter().filter(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number, byte| number * 10 + u64::from(byte - b'0')))
}

/// `May 18 03:12:44 node-a kernel: ...` of syslog and journalctl.
fn kernel_host(text: &str) -> Option<&str> {
    let before = &text[..text.find(" kernel: ")?];
    before.rsplit(' ').next().filter(|host| !host.is_empty() && host.len() < before.len())
}

/// `[rank7]:` and `[Rank 7]` of PyTorch.
fn framework_rank(text: &str) -> Option<u32> {
    let at = text.find("[rank").map(|at| at + 5).or_else(|| text.find("[Rank ").map(|at| at + 6))?;
    let digits = text[at..].split(|c: char| !c.is_ascii_digit()).next()?;
    text[at + digits.len()..].starts_with(']').then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header_of(text: &str) -> (Option<&str>, Option<u32>, Option<u32>, Option<Level>, &str) {
        let line = parse(text);
        (line.host, line.pid, line.device, line.level, line.text)
    }

    #[test]
    fn headers_of_all_releases_and_launchers_are_read() {
        let expected = (Some("node-a"), Some(214), Some(3), Some(Level::Info), "Using network IB");
        for prefix in ["", "0: ", "[1,0]<stdout>:", "worker-1  | ", "[2025-06-02 10:14:31] ", "2025-06-02T10:14:31Z "] {
            assert_eq!(
                header_of(&format!("{prefix}node-a:214:398 [3] NCCL INFO Using network IB")),
                expected,
                "{prefix}"
            );
        }
        let warn = "[2025-06-02 10:14:31] node-a:5201:5320 [2] misc/ibvwrap.cc:374 NCCL WARN Call to x failed";
        assert_eq!(header_of(warn), (Some("node-a"), Some(5201), Some(2), Some(Level::Warn), "Call to x failed"));
        assert_eq!(header_of("NCCL version 2.20.5+cuda12.4").3, Some(Level::Version));
        assert_eq!(header_of("loss 2.41"), (None, None, None, None, "loss 2.41"));
    }

    #[test]
    fn times_are_read() {
        assert_eq!(parse("[2025-06-02 10:14:31] node-a:1:2 [0] NCCL INFO x").time, Some(20_250_602_101_431));
        assert_eq!(parse("2025-06-02T10:14:31.5Z node-a:1:2 [0] NCCL INFO x").time, Some(20_250_602_101_431));
        assert_eq!(parse("2025-06-02 node-a:1:2 [0] NCCL INFO x").time, None);
    }

    #[test]
    fn ranks_of_frameworks_are_read() {
        assert_eq!(parse("[rank7]:[E ProcessGroupNCCL.cpp:616] [Rank 7] Watchdog").rank, Some(7));
        assert_eq!(parse("[Rank 12] Watchdog").rank, Some(12));
        assert_eq!(parse("[rankings] are").rank, None);
    }

    #[test]
    fn the_host_of_a_kernel_line_is_read() {
        assert_eq!(parse("May 18 03:12:44 node-a kernel: NVRM: Xid").host, Some("node-a"));
        assert_eq!(parse("[  811.2] NVRM: Xid").host, None);
        assert_eq!(parse(" kernel: x").host, None);
    }
}
