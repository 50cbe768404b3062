//! Near misses: names that somebody may have meant.

/// More edits than this are another name.
const MOST_EDITS: usize = 8;

/// The candidates nearest to `typed`, at most three, nearest first.
pub fn nearest<'a>(typed: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let letters = typed.chars().count();
    let most = (letters / 3).clamp(1, MOST_EDITS);
    let mut near: Vec<(usize, usize, &str)> = candidates
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            // The cheap test first: the distance costs the product of the lengths.
            if lower.chars().count().abs_diff(letters) > most && !lower.contains(&typed) {
                return None;
            }
            let distance = strsim::osa_distance(&typed, &lower);
            let inside = typed.len() >= 3 && lower.contains(&typed);
            (distance <= most || inside).then_some((
                if inside { distance.min(most) } else { distance },
                distance,
                candidate,
            ))
        })
        .collect();
    near.sort_unstable();
    near.truncate(3);
    near.into_iter().map(|(.., candidate)| candidate).collect()
}

/// How often each letter stands in a name: tells what is far away without its distance.
#[derive(Clone, Copy, Debug)]
pub struct Letters([u8; LETTERS]);

/// Letters of any case, digits, and all others as one.
const LETTERS: usize = 37;

impl Letters {
    pub fn of(name: &str) -> Self {
        let mut counts = [0_u8; LETTERS];
        for byte in name.bytes() {
            let letter = match byte.to_ascii_lowercase() {
                byte @ b'a'..=b'z' => byte - b'a',
                byte @ b'0'..=b'9' => byte - b'0' + 26,
                _ => 36,
            };
            let count = &mut counts[usize::from(letter)];
            *count = count.saturating_add(1);
        }
        Letters(counts)
    }

    /// No fewer edits make one name of the other.
    pub fn least_edits(&self, other: &Letters) -> usize {
        let pairs = || self.0.iter().zip(&other.0);
        let missing: usize = pairs().map(|(own, other)| usize::from(own.saturating_sub(*other))).sum();
        let more: usize = pairs().map(|(own, other)| usize::from(other.saturating_sub(*own))).sum();
        missing.max(more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_never_tell_more_edits_than_there_are() {
        let names = ["", "NCCL_IB_HCA", "NCCL_IB_HCAX", "NCCL_BI_HCA", "NCCL_DEBUG", "nccl_debug", "A1", "1A2"];
        for one in names {
            for other in names {
                let least = Letters::of(one).least_edits(&Letters::of(other));
                let distance = strsim::osa_distance(&one.to_lowercase(), &other.to_lowercase());
                assert!(least <= distance, "{one} {other}: {least} > {distance}");
            }
        }
        assert_eq!(Letters::of("NCCL_IB_HCA").least_edits(&Letters::of("NCCL_DEBUG")), 5);
    }

    #[test]
    fn the_nearest_names_are_offered() {
        let names = ["dcqcn", "pxn", "sharp", "nccl-env"];
        assert_eq!(nearest("dqcn", names.into_iter()), ["dcqcn"]);
        assert_eq!(nearest("SHRAP", names.into_iter()), ["sharp"]);
        assert_eq!(nearest("roc", ["NCCL_IB_ROCE_VERSION", "roce"].into_iter()), ["roce", "NCCL_IB_ROCE_VERSION"]);
        assert_eq!(nearest("banana", names.into_iter()), Vec::<&str>::new());
    }
}
