//! What NCCL makes of the text of a value, and whether it is one that the variable takes.

use crate::knowledge::Variable;

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Read as a C integer it is this number, which is not what stands there.
    NotANumber { read_as: i64 },
    /// A leading zero makes it octal.
    Octal { read_as: i64 },
    /// A number that it does not take; what it takes.
    OutOfRange { takes: String },
    /// A word that it does not take; what it takes, and the nearest of these.
    UnknownWord { word: String, takes: String, near: Option<String> },
    /// A word that it takes in upper case only.
    LowerCase { word: String },
    /// A list that is written wrongly: what is wrong with it.
    BadList(&'static str),
}

/// Variables whose words count in upper case only (NVIDIA/nccl:src/graph/paths.cc, src/misc/socket.cc; see `nccl-env#words`).
const UPPER_CASE_ONLY: [&str; 4] =
    ["NCCL_NET_GDR_LEVEL", "NCCL_P2P_LEVEL", "NCCL_IB_ADDR_FAMILY", "NCCL_SOCKET_FAMILY"];

/// Lists of device or interface names.
pub const DEVICE_LISTS: [&str; 3] = ["NCCL_IB_HCA", "NCCL_SOCKET_IFNAME", "NCCL_OOB_NET_IFNAME"];

/// What is wrong with the value of a variable. None also where the values that it takes are not known.
pub fn fault(variable: &Variable<'_>, text: &str) -> Option<Fault> {
    if text.trim().is_empty() {
        return None;
    }
    match variable.kind {
        "int" | "int-param" => integer(variable, text),
        "bool-param" => (!["1", "t", "true", "0", "f", "false"].contains(&&*text.to_lowercase()))
            .then(|| unknown(variable, text, &["1", "TRUE", "0", "FALSE"])),
        "enum" | "enum-param" | "bitset-param" => words(variable, text),
        "list" if DEVICE_LISTS.contains(&variable.name) => device_list(text),
        "list" if ["NCCL_ALGO", "NCCL_PROTO"].contains(&variable.name) => choices(variable, text),
        _ => None,
    }
}

/// `strtoll(text, NULL, 0)`: the number, and what stands behind it. NVIDIA/nccl:src/misc/param.cc.
pub fn c_integer(text: &str) -> (i64, &str) {
    let rest = text.trim_start();
    let (negative, rest) = match rest.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix('+').unwrap_or(rest)),
    };
    let hexadecimal = rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X"));
    let (radix, digits) = match hexadecimal.filter(|rest| rest.starts_with(|c: char| c.is_ascii_hexdigit())) {
        Some(digits) => (16, digits),
        None if rest.starts_with('0') => (8, rest),
        None => (10, rest),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let number = i64::from_str_radix(&digits[..end], radix).unwrap_or(if end == 0 { 0 } else { i64::MAX });
    (if negative { -number } else { number }, &digits[end..])
}

/// A switch with this text is on.
pub fn is_on(text: &str) -> bool {
    c_integer(text).0 != 0
}

/// A switch with this text is off, and was meant to be.
pub fn is_off(text: &str) -> bool {
    text.trim() == "0"
}

fn integer(variable: &Variable<'_>, text: &str) -> Option<Fault> {
    let (number, rest) = c_integer(text);
    if !rest.trim_end().is_empty() {
        return Some(Fault::NotANumber { read_as: number });
    }
    let digits = text.trim().trim_start_matches(['-', '+']);
    if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Fault::Octal { read_as: number });
    }
    let is_default = variable.defaults.iter().any(|default| default.value.parse() == Ok(number));
    let ranges: Option<Vec<(i64, i64)>> = variable.values.iter().map(|value| range(value.value)).collect();
    let ranges = ranges.filter(|ranges| !ranges.is_empty())?;
    let fits = ranges.iter().any(|(least, most)| (*least..=*most).contains(&number));
    (!fits && !is_default).then(|| Fault::OutOfRange { takes: takes(variable) })
}

/// The numbers that an entry of the values stands for; none where it does not say.
fn range(value: &str) -> Option<(i64, i64)> {
    if let Ok(number) = value.parse() {
        return Some((number, number));
    }
    match value {
        "integer" | "64-bit integer" | "32-bit integer" | "anything else" => Some((i64::MIN, i64::MAX)),
        "bytes" | "0 and up" | "index" | "rank" => Some((0, i64::MAX)),
        "positive integer" | "1 and up" | "power of 2" => Some((1, i64::MAX)),
        "0, 32 and up" => Some((32, i64::MAX)),
        _ => {
            let (least, most) = value.split_once('-')?;
            Some((least.parse().ok()?, most.parse().ok()?))
        }
    }
}

/// The values with their meanings, for a message.
fn takes(variable: &Variable<'_>) -> String {
    let values = variable.values.iter().map(|value| format!("{} ({})", value.value, value.meaning));
    values.collect::<Vec<_>>().join(", ")
}

/// All words of the values of a variable.
fn known_words<'a>(variable: &Variable<'a>) -> Vec<&'a str> {
    let values = variable.values.iter().flat_map(|value| value.value.split([' ', ',', '^']));
    values.filter(|word| word.chars().any(|c| c.is_ascii_alphanumeric())).collect()
}

fn words(variable: &Variable<'_>, text: &str) -> Option<Fault> {
    let known = known_words(variable);
    let is_open = variable.values.iter().any(|value| value.value.contains("name of") || value.value == "anything else");
    if is_open || known.is_empty() || text == "empty" {
        return None;
    }
    let is_list = variable.kind == "bitset-param";
    let listed = if is_list { text.trim_start_matches('^') } else { text };
    let separators: &[char] = if is_list { &[','] } else { &['|'] };
    let limits: Vec<&str> = known.iter().filter_map(|word| word.strip_suffix(":N")).collect();
    for word in listed.split(separators) {
        let is_number = word.parse::<i64>().is_ok() && known.iter().any(|known| known.parse::<i64>().is_ok());
        let is_limit = word.split_once(':').is_some_and(|(limit, number)| {
            limits.iter().any(|known| known.eq_ignore_ascii_case(limit)) && number.parse::<u32>().is_ok()
        });
        if is_number || is_limit || known.contains(&word) {
            continue;
        }
        if known.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            if UPPER_CASE_ONLY.contains(&variable.name) {
                return Some(Fault::LowerCase { word: word.to_string() });
            }
            continue;
        }
        return Some(unknown(variable, word, &known));
    }
    None
}

fn unknown(variable: &Variable<'_>, word: &str, known: &[&str]) -> Fault {
    let near = crate::search::suggest::nearest(word, known.iter().copied());
    let near = near.first().map(|near| (*near).to_string());
    Fault::UnknownWord { word: word.to_string(), takes: takes(variable), near }
}

/// `^` leaves out, `=` is exact; each stands once, in front of the whole list (NVIDIA/nccl:src/misc/utils.cc, `parseStringList`).
fn device_list(text: &str) -> Option<Fault> {
    let list = text.strip_prefix('^').unwrap_or(text);
    if text.starts_with("=^") {
        return Some(Fault::BadList("`=^` looks for a device whose name begins with `^`: the order is `^=`"));
    }
    let list = list.strip_prefix('=').unwrap_or(list);
    for name in list.split(',') {
        if name.starts_with('=') {
            return Some(Fault::BadList("a second `=` belongs to a name: one `=` in front holds for the whole list"));
        }
        if name.starts_with('^') {
            return Some(Fault::BadList("a second `^` belongs to a name: one `^` in front holds for the whole list"));
        }
        if name != name.trim() {
            return Some(Fault::BadList("a blank belongs to the name: the list has commas only"));
        }
        if name.contains([';', '|']) || name.trim().contains(' ') {
            return Some(Fault::BadList("names are separated by commas"));
        }
    }
    list.split(',').any(str::is_empty).then_some(Fault::BadList("an empty name in the list"))
}

/// `ring,tree`, `^tree`, `allreduce:tree,ring;broadcast:ring`.
fn choices(variable: &Variable<'_>, text: &str) -> Option<Fault> {
    const COLLECTIVES: [&str; 8] =
        ["broadcast", "reduce", "allgather", "reducescatter", "allreduce", "alltoall", "gather", "scatter"];
    let known: Vec<&str> = variable.values.first().map_or(Vec::new(), |value| value.value.split_whitespace().collect());
    for piece in text.split(';').filter(|piece| !piece.trim().is_empty()) {
        let list = match piece.split_once(':') {
            Some((collective, list)) => {
                if !COLLECTIVES.contains(&&*collective.trim().to_lowercase()) {
                    return Some(unknown(variable, collective.trim(), &COLLECTIVES));
                }
                list
            }
            None => piece,
        };
        for word in list.trim().trim_start_matches('^').split(',') {
            let word = word.trim();
            if !word.is_empty() && !known.iter().any(|known| known.eq_ignore_ascii_case(word)) {
                return Some(unknown(variable, word, &known));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, text: &str) -> Option<Fault> {
        fault(&crate::library().variables.find(name).expect("a variable"), text)
    }

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        // The table of nccl-env#integers.
        for (text, number, rest) in [
            ("1", 1, ""),
            ("true", 0, "true"),
            ("4MB", 4, "MB"),
            ("1,2", 1, ",2"),
            ("0x10", 16, ""),
            ("010", 8, ""),
            (" 1", 1, ""),
            ("-2", -2, ""),
            ("0xg", 0, "xg"),
            ("99999999999999999999", i64::MAX, ""),
            ("", 0, ""),
        ] {
            assert_eq!(c_integer(text), (number, rest), "{text}");
        }
    }

    #[test]
    fn values_that_nccl_takes_have_no_fault() {
        for (name, value) in [
            ("NCCL_IB_TIMEOUT", "22"),
            ("NCCL_IB_TC", "106"),
            ("NCCL_IB_GID_INDEX", "-1"),
            ("NCCL_IB_DISABLE", "1"),
            ("NCCL_DEBUG", "info"),
            ("NCCL_DEBUG_SUBSYS", "INIT,NET"),
            ("NCCL_DEBUG_SUBSYS", "^PROXY,ALLOC"),
            ("NCCL_NET_GDR_LEVEL", "SYS"),
            ("NCCL_NET_GDR_LEVEL", "5"),
            ("NCCL_P2P_LEVEL", "NVL"),
            ("NCCL_IB_HCA", "mlx5"),
            ("NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1"),
            ("NCCL_IB_HCA", "^=mlx5_3"),
            ("NCCL_SOCKET_IFNAME", "^docker,lo"),
            ("NCCL_ALGO", "ring,tree"),
            ("NCCL_ALGO", "allreduce:tree,ring;broadcast:ring"),
            ("NCCL_ALGO", "^tree"),
            ("NCCL_PROTO", "Simple"),
            ("NCCL_NETDEVS_POLICY", "MAX:4"),
            ("NCCL_BUFFSIZE", "8388608"),
            ("NCCL_NET", "AWS Libfabric"),
            ("NCCL_TOPO_FILE", "/etc/topo.xml"),
            ("NCCL_CROSS_NIC", "2"),
            ("NCCL_NVLS_ENABLE", "0"),
            ("NCCL_DEBUG", ""),
        ] {
            assert_eq!(of(name, value), None, "{name}={value}");
        }
    }

    #[test]
    fn values_that_nccl_reads_otherwise_have_one() {
        assert_eq!(of("NCCL_IB_DISABLE", "true"), Some(Fault::NotANumber { read_as: 0 }));
        assert_eq!(of("NCCL_BUFFSIZE", "8MB"), Some(Fault::NotANumber { read_as: 8 }));
        assert_eq!(of("NCCL_IB_TC", "010"), Some(Fault::Octal { read_as: 8 }));
        assert!(matches!(of("NCCL_IB_RETRY_CNT", "10"), Some(Fault::OutOfRange { .. })));
        assert!(matches!(of("NCCL_IB_TC", "300"), Some(Fault::OutOfRange { .. })));
        assert_eq!(of("NCCL_NET_GDR_LEVEL", "phb"), Some(Fault::LowerCase { word: "phb".to_string() }));
        let near = |name, value| match of(name, value) {
            Some(Fault::UnknownWord { near, .. }) => near,
            other => panic!("{name}={value}: {other:?}"),
        };
        assert_eq!(near("NCCL_DEBUG", "INFOO").as_deref(), Some("INFO"));
        assert_eq!(near("NCCL_DEBUG_SUBSYS", "INIT,NETT").as_deref(), Some("NET"));
        assert_eq!(near("NCCL_ALGO", "Rings").as_deref(), Some("Ring"));
        assert_eq!(near("NCCL_ALGO", "allreduc:ring").as_deref(), Some("allreduce"));
        for list in ["=mlx5_0,=mlx5_1", "=^mlx5_3", "mlx5_0, mlx5_1", "mlx5_0,", "mlx5_0;mlx5_1"] {
            assert!(matches!(of("NCCL_IB_HCA", list), Some(Fault::BadList(_))), "{list}");
        }
    }

    #[test]
    fn every_default_and_every_named_value_is_taken() {
        let library = crate::library();
        for variable in library.variables.iter() {
            for default in variable.defaults.iter().filter(|default| default.value.parse::<i64>().is_ok()) {
                assert_eq!(fault(&variable, default.value), None, "{}={}", variable.name, default.value);
            }
        }
        for profile in library.profiles.iter() {
            for setting in &profile.variables {
                let Some(variable) = library.variables.find(setting.name) else { continue };
                assert_eq!(fault(&variable, setting.value), None, "{}: {}={}", profile.id, setting.name, setting.value);
            }
        }
    }
}
