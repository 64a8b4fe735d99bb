//! Kubernetes quantities, such as `500m`, `1Gi`, and `2e3`.

/// Number of fraction digits that are used. Quantities are exact to a billionth; more digits only matter when
/// multiplied by `Ei`.
const FRACTION: usize = 18;

/// Parses a quantity to billionths, the precision of Kubernetes; large values saturate. Returns `None` if the text is
/// not a quantity by apimachinery's `resource.ParseQuantity`, which reads `k` as zero.
pub fn parse_billionths(text: &str) -> Option<i128> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (integer, rest) = split_digits(unsigned);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    if text.is_empty() {
        return None;
    }
    let (base, exponent) = parse_suffix(suffix)?;
    let fraction = &fraction[..fraction.len().min(FRACTION)];
    let digits: i128 = match format!("{integer}{fraction}").trim_start_matches('0') {
        "" => 0,
        digits => digits.parse().unwrap_or(i128::MAX),
    };
    let places = i64::try_from(fraction.len()).unwrap_or(0);
    let value = match base {
        QuantityBase::Binary => {
            let cap = i128::from(i64::MAX) * 1_000_000_000;
            scale_by_power_of_ten(digits.saturating_mul(1 << exponent), 9 - places).min(cap)
        }
        QuantityBase::Decimal => scale_by_power_of_ten(digits, exponent.saturating_add(9 - places)),
    };
    Some(if text.starts_with('-') { -value } else { value })
}

enum QuantityBase {
    Binary,
    Decimal,
}

fn parse_suffix(suffix: &str) -> Option<(QuantityBase, i64)> {
    let decimal = |exponent| Some((QuantityBase::Decimal, exponent));
    let binary = |exponent| Some((QuantityBase::Binary, exponent));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => decimal(i64::from(suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?)),
    }
}

/// Multiplies by a power of ten. Lost digits are rounded away from zero, so that small values do not become zero.
fn scale_by_power_of_ten(digits: i128, power: i64) -> i128 {
    let factor = u32::try_from(power.unsigned_abs()).ok().and_then(|power| 10_i128.checked_pow(power));
    match (factor, power >= 0) {
        _ if digits == 0 => 0,
        (Some(factor), true) => digits.saturating_mul(factor),
        (None, true) => i128::MAX,
        (Some(factor), false) => digits / factor + i128::from(digits % factor != 0),
        (None, false) => 1,
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities() {
        const ONE: i128 = 1_000_000_000;
        for (text, expected) in [
            ("1", Some(ONE)),
            ("0.5", Some(ONE / 2)),
            (".5", Some(ONE / 2)),
            ("500m", Some(ONE / 2)),
            ("-1.5k", Some(-1500 * ONE)),
            ("1Ki", Some(1024 * ONE)),
            ("1.5Gi", Some(3 * (1 << 29) * ONE)),
            ("2e3", Some(2000 * ONE)),
            ("2E-3", Some(2_000_000)),
            ("1E", Some(1_000_000_000_000_000_000 * ONE)),
            ("0.0000000001", Some(1)),
            ("16Ei", Some(i128::from(i64::MAX) * ONE)),
            ("k", Some(0)),
            ("", None),
            ("1.2.3", None),
            ("1KB", None),
            ("1 Gi", None),
            ("2024-05-01T00:00:00Z", None),
        ] {
            assert_eq!(parse_billionths(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn suffixes_scale(number in 1_u32..1_000_000) {
            let value = |suffix: &str| parse_billionths(&format!("{number}{suffix}")).unwrap();
            prop_assert_eq!(value("k"), value("") * 1000);
            prop_assert_eq!(value("Mi"), value("Ki") * 1024);
            prop_assert_eq!(value(""), value("m") * 1000);
        }

        #[test]
        fn nothing_panics(text in "[-+]?[0-9]{0,45}[.]?[0-9]{0,45}([a-zA-Z]{0,2}|[eE][-+]?[0-9]{0,12})") {
            let _ = parse_billionths(&text);
        }
    }
}
