//! The sizes of the processor's caches, as far as the system reports them.

use std::collections::HashSet;
use std::fs;
use std::sync::OnceLock;

/// The size assumed for all third caches, if the system reports none.
const GUESS: usize = 32 << 20;

/// Bytes of the second cache of a core; `None` if the system does not report it.
pub(crate) fn second() -> Option<usize> {
    static SECOND: OnceLock<Option<usize>> = OnceLock::new();
    *SECOND.get_or_init(|| Cache::of(0).find(|cache| cache.level == 2).map(|cache| cache.bytes))
}

/// Bytes of all third caches of the machine together; a guess if the system does not report them.
pub(crate) fn third() -> usize {
    static THIRD: OnceLock<usize> = OnceLock::new();
    *THIRD.get_or_init(|| {
        let caches =
            (0..).map(|cpu| Cache::of(cpu).collect::<Vec<_>>()).take_while(|caches| !caches.is_empty());
        let thirds = caches.flatten().filter(|cache| cache.level == 3);
        let different: HashSet<(String, usize)> = thirds.map(|cache| (cache.shared, cache.bytes)).collect();
        let sum = different.iter().fold(0_usize, |sum, (_, bytes)| sum.saturating_add(*bytes));
        if sum > 0 { sum } else { GUESS }
    })
}

/// A cache of data of a processor.
struct Cache {
    level: usize,
    bytes: usize,
    /// The processors that share it.
    shared: String,
}

impl Cache {
    /// The caches that the system reports for a processor.
    fn of(cpu: usize) -> impl Iterator<Item = Self> {
        (0..8).filter_map(move |index| {
            let told = |what| {
                let path = format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}/{what}");
                fs::read_to_string(path).ok()
            };
            if told("type")?.trim() == "Instruction" {
                return None;
            }
            Some(Self {
                level: told("level")?.trim().parse().ok()?,
                bytes: bytes(&told("size")?)?,
                shared: told("shared_cpu_list").unwrap_or_default(),
            })
        })
    }
}

/// The bytes that Linux writes as KiB: `2048K`.
fn bytes(size: &str) -> Option<usize> {
    size.trim().strip_suffix('K')?.parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_linux_writes_them() {
        assert_eq!(bytes("2048K\n"), Some(2 << 20));
        assert_eq!(bytes("512K"), Some(512 << 10));
        for other in ["", "K", "2M", "-1K", "2048", "99999999999999999999K", "18446744073709551615K"] {
            assert_eq!(bytes(other), None, "{other}");
        }
    }

    #[test]
    fn third_caches_are_larger_than_one_second() {
        assert!(third() >= 1 << 20 && third() < 1 << 40);
    }

    #[test]
    fn a_second_cache_has_the_size_of_one() {
        assert!(second().is_none_or(|bytes| (64 << 10..1 << 30).contains(&bytes)));
    }
}
