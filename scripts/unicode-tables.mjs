// Writes src/protocol/schema/regex_unicode.rs from the Unicode version that this Node knows.
import { writeFileSync } from "node:fs";

const CATEGORIES = [
	["L", "Letter"],
	["M", "Mark"],
	["N", "Number"],
	["Nd", "Decimal_Number", "digit"],
];

/** The runs of characters of a category, as lengths: outside, inside, outside, … @param {string} category */
function runs(category) {
	const test = new RegExp(`\\p{${category}}`, "u");
	const lengths = [];
	let start = 0;
	let inside = false;
	for (let point = 0; point <= 0x110000; point++) {
		const is = point < 0x110000 && test.test(String.fromCodePoint(point));
		if (is !== inside) {
			lengths.push(point - start);
			start = point;
			inside = is;
		}
	}
	return lengths;
}

/** Seven bits a byte, the high bit set on all but the last. @param {number} length */
function bytes(length) {
	const out = [length & 127];
	for (let rest = length >> 7; rest > 0; rest >>= 7) out.unshift((rest & 127) | 128);
	return out;
}

/** @param {number[]} data */
function literal(data) {
	const lines = [];
	let line = "";
	for (const byte of data) {
		const text = `\\x${byte.toString(16).padStart(2, "0")}`;
		if (line.length + text.length > 108) {
			lines.push(line);
			line = "";
		}
		line += text;
	}
	lines.push(line);
	return lines.map((text) => `\n    ${text}\\`).join("");
}

const arms = CATEGORIES.map(
	([short, ...long]) => `        ${[short, ...long].map((name) => `"${name}"`).join(" | ")} => ${short.toUpperCase()},`,
);
const tables = CATEGORIES.map(
	([short]) => `const ${short.toUpperCase()}: &[u8] = b"\\${literal(runs(short).flatMap(bytes))}\n";`,
);

writeFileSync(
	new URL("../src/protocol/schema/regex_unicode.rs", import.meta.url),
	`//! General categories of Unicode ${process.versions.unicode}, for \`\\p{…}\`.
//!
//! Written by \`node scripts/unicode-tables.mjs\`. Each table is a list of lengths,
//! characters outside and inside by turns, seven bits a byte, the high bit set on
//! all bytes of a length but its last.

/// The characters of a category, by its short or long name; \`None\` where there is no table for it.
pub(super) fn category(name: &str) -> Option<Vec<(u32, u32)>> {
    let table = match name {
${arms.join("\n")}
        _ => return None,
    };
    let mut ranges = Vec::new();
    let (mut at, mut length, mut inside) = (0_u32, 0_u32, false);
    for byte in table {
        length = length << 7 | u32::from(byte & 127);
        if byte & 128 == 0 {
            if inside {
                ranges.push((at, (at + length).saturating_sub(1)));
            }
            at += length;
            length = 0;
            inside = !inside;
        }
    }
    Some(ranges)
}

${tables.join("\n\n")}

#[cfg(test)]
mod tests {
    use super::category;

    fn members(name: &str) -> impl Iterator<Item = char> {
        category(name).expect("a table").into_iter().flat_map(|(start, end)| start..=end).filter_map(char::from_u32)
    }

    #[test]
    fn tables_agree_with_what_the_standard_library_knows() {
        let numbers: Vec<char> = ('\\0'..=char::MAX).filter(|character| character.is_numeric()).collect();
        assert_eq!(members("N").collect::<Vec<_>>(), numbers);
        assert!(members("L").all(char::is_alphabetic));
        assert!(members("Nd").all(char::is_numeric));
        assert!(members("M").all(|character| !character.is_numeric() && !character.is_whitespace()));
        assert!(members("M").all(|character| !character.is_ascii()));
        assert_eq!(members("L").count(), members("Letter").count());
    }
}
`,
);
