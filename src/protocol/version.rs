//! Protocol versions and the two eras; the only file that compares version strings.
//!
//! Modern versions carry version, identity and capabilities in every request;
//! legacy versions agree on them in an `initialize` handshake (2026-07-28,
//! basic/versioning, "Terminology").

/// How a protocol version conveys version, identity and capabilities.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Era {
    /// The `initialize` handshake: 2025-11-25 and earlier.
    Legacy,
    /// Per-request metadata: 2026-07-28 and later.
    Modern,
}

impl Era {
    /// `"legacy"` or `"modern"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

/// A protocol version that this implementation speaks.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum ProtocolVersion {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26
    V2025_03_26,
    /// 2025-06-18
    V2025_06_18,
    /// 2025-11-25
    V2025_11_25,
    /// 2026-07-28
    V2026_07_28,
}

impl ProtocolVersion {
    /// Every version, newest first: the order in which we prefer them.
    pub const ALL: [Self; 5] =
        [Self::V2026_07_28, Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// The newest modern version.
    pub const LATEST: Self = Self::V2026_07_28;

    /// The oldest modern version.
    pub const FIRST_MODERN: Self = Self::V2026_07_28;

    /// The newest legacy version.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// What a legacy HTTP request without a version header speaks (2025-11-25, basic/transports).
    pub const WITHOUT_HEADER: Self = Self::V2025_03_26;

    /// The version as it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The version of that name, if we speak it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.as_str() == text)
    }

    /// The era that the version belongs to.
    pub fn era(self) -> Era {
        if self >= Self::FIRST_MODERN { Era::Modern } else { Era::Legacy }
    }
}

impl std::fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The era of any version string, known or not: versions are dates, and dates sort as text.
///
/// A text that is not a date (`draft`, `v999.0.0`) has no era.
pub fn era_of(version: &str) -> Option<Era> {
    let is_date = version.len() == 10
        && version.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_date.then(|| if version >= ProtocolVersion::FIRST_MODERN.as_str() { Era::Modern } else { Era::Legacy })
}
