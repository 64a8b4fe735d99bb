//! Points in time, and ages as kubectl prints them.

use jiff::Timestamp;

use crate::failure::Failure;

/// Formats the time since `then` as kubectl's `HumanDuration` does (apimachinery `util/duration`).
pub fn age(then: Timestamp, now: Timestamp) -> String {
    human_duration(now.as_second() - then.as_second())
}

/// Formats seconds as kubectl does: with two units for small values, without zero parts.
pub fn human_duration(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let two = |large: i64, large_unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large}{large_unit}"),
        _ => format!("{large}{large_unit}{small}{small_unit}"),
    };
    match seconds {
        // Clocks may differ by a second or two; larger differences are invalid.
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => two(seconds / MINUTE, "m", seconds % MINUTE, "s"),
        600..10_800 => format!("{}m", seconds / MINUTE),
        10_800..28_800 => two(seconds / HOUR, "h", seconds % HOUR / MINUTE, "m"),
        28_800..172_800 => format!("{}h", seconds / HOUR),
        172_800..691_200 => two(seconds / DAY, "d", seconds % DAY / HOUR, "h"),
        691_200..63_072_000 => format!("{}d", seconds / DAY),
        63_072_000..252_288_000 => two(seconds / YEAR, "y", seconds % YEAR / DAY, "d"),
        _ => format!("{}y", seconds / YEAR),
    }
}

/// Parses a duration in the format of kubectl and Go (`90s`, `15m`, `1h30m`, `2d`), or in seconds.
///
/// # Errors
/// Fails when the text is not a duration or is negative.
pub fn parse_duration(text: &str) -> Result<std::time::Duration, Failure> {
    if let Ok(seconds) = text.parse::<u64>() {
        return Ok(std::time::Duration::from_secs(seconds));
    }
    let is_none = || format!("'{text}' is not a duration such as 30s, 15m, or 7d");
    let span: jiff::Span = text.parse().map_err(|_| is_none())?;
    let days = jiff::SpanRelativeTo::days_are_24_hours();
    span.to_duration(days).map_err(|_| is_none())?.try_into().map_err(|_| format!("'{text}' is negative").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_the_format_of_kubectl() {
        // From k8s.io/apimachinery/pkg/util/duration/duration_test.go.
        for (seconds, expected) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (599, "9m59s"),
            (600, "10m"),
            (10_799, "179m"),
            (10_800, "3h"),
            (10_860, "3h1m"),
            (28_800, "8h"),
            (172_799, "47h"),
            (172_800, "2d"),
            (176_400, "2d1h"),
            (691_200, "8d"),
            (63_072_000, "2y"),
            (63_158_400, "2y1d"),
            (252_288_000, "8y"),
            (-1, "0s"),
            (-5, "<invalid>"),
        ] {
            assert_eq!(human_duration(seconds), expected);
        }
    }

    #[test]
    fn durations_are_parsed_and_other_text_is_rejected() {
        assert_eq!(parse_duration("15m").unwrap().as_secs(), 900);
        assert_eq!(parse_duration("1h30m").unwrap().as_secs(), 5400);
        assert_eq!(parse_duration("90").unwrap().as_secs(), 90);
        assert_eq!(parse_duration("0").unwrap().as_secs(), 0);
        assert_eq!(parse_duration("7d").unwrap().as_secs(), 604_800);
        assert_eq!(parse_duration("1w2d3h").unwrap().as_secs(), 788_400);
        assert!(parse_duration("1 month").is_err());
        assert!(parse_duration("-5m").is_err());
        assert!(parse_duration("soon").is_err());
    }
}
