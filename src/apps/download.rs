//! Names for files that a View wants saved.

use crate::protocol::percent;

/// The longest name, in bytes: what file systems take, with room for a number behind it.
pub const MAX_NAME_BYTES: usize = 200;

/// A file name out of a resource's URI: the last segment of its path, decoded, without anything that leads to
/// another folder, hides the file or is no visible character. `download` where nothing is left.
pub fn file_name(uri: &str) -> String {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    // The authority of a URI is no name.
    let path = match path.split_once(':') {
        Some((_, rest)) => match rest.strip_prefix("//") {
            Some(rest) => rest.split_once('/').map_or("", |(_, path)| path),
            None => rest,
        },
        None => path,
    };
    let segment = path.rsplit(['/', ':']).next().unwrap_or_default();
    let mut name = String::new();
    for character in String::from_utf8_lossy(&percent::decode(segment.as_bytes())).chars() {
        let is_odd = character.is_control()
            || matches!(character, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
            || is_invisible(character);
        if !is_odd && name.len() + character.len_utf8() <= MAX_NAME_BYTES {
            name.push(character);
        }
    }
    let name = name.trim_matches([' ', '.']);
    if name.is_empty() { "download".to_owned() } else { name.to_owned() }
}

/// Characters that change how others are read: direction marks, zero widths.
fn is_invisible(character: char) -> bool {
    matches!(u32::from(character), 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF)
}
