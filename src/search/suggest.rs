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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_offered() {
        let names = ["dcqcn", "pxn", "sharp", "nccl-env"];
        assert_eq!(nearest("dqcn", names.into_iter()), ["dcqcn"]);
        assert_eq!(nearest("SHRAP", names.into_iter()), ["sharp"]);
        assert_eq!(nearest("roc", ["NCCL_IB_ROCE_VERSION", "roce"].into_iter()), ["roce", "NCCL_IB_ROCE_VERSION"]);
        assert_eq!(nearest("banana", names.into_iter()), Vec::<&str>::new());
    }
}
