//! Path types: how far GPU and NIC are apart. Logs print them as numbers whose meaning changes with the release.

use crate::knowledge::release::Release;

/// The first release with a list, and the list by code (NVIDIA/nccl:src/graph/topo.h, since 2.30.3 src/include/graph.h: `PATH_...`,
/// read at all tags).
const CODES: [(&str, &[&str]); 7] = [
    ("2.6.4", &["LOC", "NVL", "PIX", "PXB", "PHB", "SYS", "NET"]),
    ("2.8.3", &["LOC", "NVL", "NVB", "PIX", "PXB", "PHB", "SYS"]),
    ("2.12.7", &["LOC", "NVL", "NVB", "PIX", "PXB", "PXN", "PHB", "SYS"]),
    ("2.18.1", &["LOC", "NVL", "NVB", "PIX", "PXB", "PXN", "PHB", "SYS", "NET", "DIS"]),
    ("2.26.2", &["LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "PXN", "PHB", "SYS", "NET", "DIS"]),
    ("2.27.3", &["LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "PXN", "P2C", "PHB", "SYS", "NET", "DIS"]),
    ("2.27.5", &["LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS", "NET", "DIS"]),
];

/// What a path code means in a release; none when the release is older than the lists, or has no such code.
pub fn name(code: u32, release: Release) -> Option<&'static str> {
    let first = |text| Release::parse(text).expect("a release");
    let (_, names) = CODES.iter().rev().find(|(since, _)| first(since) <= release)?;
    names.get(code as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_means_another_path_in_another_release() {
        let name = |code, release| name(code, Release::parse(release).unwrap());
        assert_eq!(name(4, "2.8.4"), Some("PXB"));
        assert_eq!(name(5, "2.8.4"), Some("PHB"));
        assert_eq!(name(5, "2.20.5"), Some("PXN"));
        assert_eq!(name(8, "2.17.1"), None);
        assert_eq!(name(8, "2.20.5"), Some("NET"));
        assert_eq!(name(5, "2.26.6"), Some("PXB"));
        assert_eq!(name(7, "2.27.3"), Some("P2C"));
        assert_eq!(name(7, "2.30.7"), Some("PXN"));
        assert_eq!(name(12, "2.30.7"), None);
        assert_eq!(name(1, "2.5.7"), None);
    }
}
