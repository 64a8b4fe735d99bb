//! `soak` of `.ucp.yaml`: the time that a version must have been declared before it is promoted.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::freeze::EVERY;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::time::parse_duration;

/// The time for which a version must have been declared before it is promoted, by the environment to which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SoakSettings {
    times: BTreeMap<String, Duration>,
}

impl SoakSettings {
    /// Returns the environments that are named.
    pub fn environments(&self) -> impl Iterator<Item = &str> {
        self.times.keys().map(String::as_str).filter(|name| *name != EVERY)
    }

    /// Returns the time before promotions to an environment.
    pub fn before(&self, environment: &str) -> Option<Duration> {
        self.times.get(environment).or_else(|| self.times.get(EVERY)).copied()
    }
}

/// Reads a duration with its unit: `24` may be meant as hours.
fn soak_time(text: &str) -> Result<Duration, Failure> {
    match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => fail!("'{text}' has no unit, as in 24h"),
        false => parse_duration(text),
    }
}

impl<'de> Deserialize<'de> for SoakSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Times;
        /// A duration, with its place in errors.
        struct Soak(Duration);
        impl<'de> Deserialize<'de> for Soak {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let invalid = |reason| serde::de::Error::custom(format!("soak: {reason}"));
                soak_time(&text).map(Soak).map_err(invalid)
            }
        }
        impl<'de> Visitor<'de> for Times {
            type Value = SoakSettings;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a duration such as 24h, or a map from environments to durations")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SoakSettings, E> {
                let time = soak_time(text).map_err(|reason| E::custom(format!("soak: {reason}")))?;
                Ok(SoakSettings { times: BTreeMap::from([(EVERY.to_owned(), time)]) })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SoakSettings, A::Error> {
                let mut times = BTreeMap::new();
                while let Some((environment, Soak(time))) = map.next_entry::<String, Soak>()? {
                    times.insert(environment, time);
                }
                Ok(SoakSettings { times })
            }
        }
        deserializer.deserialize_any(Times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soak_is_a_duration_or_a_duration_per_environment() {
        let soak = |yaml: &str| serde_saphyr::from_str::<SoakSettings>(yaml);
        let day = Some(Duration::from_secs(86_400));
        assert_eq!(soak("24h").unwrap().before("prod"), day);
        let own = soak("{prod: 24h}").unwrap();
        assert_eq!((own.before("prod"), own.before("stage")), (day, None));
        assert!(soak("soon").is_err() && soak("{prod: soon}").is_err() && soak("[24h]").is_err());
        assert!(soak("24").is_err() && soak("{prod: 24}").is_err());
    }
}
