//! How large the caches of the processor are, as far as the system says.

use std::sync::OnceLock;

/// Bytes of the second cache of a core; `None` if the system does not say.
pub(crate) fn second() -> Option<usize> {
    static SECOND: OnceLock<Option<usize>> = OnceLock::new();
    *SECOND.get_or_init(|| {
        (0..8).find_map(|index| {
            let told = |what| {
                let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
                std::fs::read_to_string(path).ok()
            };
            if told("level")?.trim() == "2" { bytes(&told("size")?) } else { None }
        })
    })
}

/// The bytes that Linux means, which counts in KiB: `2048K`.
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
    fn a_second_cache_has_the_size_of_one() {
        assert!(second().is_none_or(|bytes| (64 << 10..1 << 30).contains(&bytes)));
    }
}
