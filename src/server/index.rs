//! Finds an item by its name.

/// Item numbers by name: a table of hashes, half full at most.
///
/// A tree or the standard map would do the same in ten times the code. The names are the
/// definition's own, so nobody else can make them collide.
#[derive(Debug, Default)]
pub(super) struct Index {
    names: Vec<String>,
    /// The number of an item plus one; 0 is free. Its length is a power of two.
    slots: Vec<u32>,
}

impl Index {
    /// Adds the next item; whether its name was free.
    pub(super) fn add(&mut self, name: &str) -> bool {
        if self.slots.len() <= self.names.len() * 2 {
            self.grow();
        }
        match self.place(name) {
            Ok(_) => false,
            Err(place) => {
                self.names.push(name.to_owned());
                self.set(place, self.names.len());
                true
            }
        }
    }

    /// The number of the item of that name, in the order in which they were added.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.place(name).ok()
    }

    /// The item's number, or the free place where it would stand.
    fn place(&self, name: &str) -> Result<usize, usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash(name) as usize & mask;
        while let Some(number) = self.slots.get(at).and_then(|slot| (*slot as usize).checked_sub(1)) {
            if self.names.get(number).is_some_and(|own| own == name) {
                return Ok(number);
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 2).max(8)];
        for number in 0..self.names.len() {
            if let Some(Err(place)) = self.names.get(number).map(|name| self.place(name)) {
                self.set(place, number + 1);
            }
        }
    }

    fn set(&mut self, place: usize, number: usize) {
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = number as u32;
        }
    }
}

/// FNV-1a.
fn hash(name: &str) -> u32 {
    name.bytes().fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn every_name_is_found_and_no_other() {
        let mut index = Index::default();
        assert_eq!(index.find("tool_0"), None);
        for number in 0..1000 {
            assert!(index.add(&format!("tool_{number}")));
        }
        for number in 0..1000 {
            assert_eq!(index.find(&format!("tool_{number}")), Some(number));
        }
        assert_eq!(index.find("tool_1000"), None);
        assert!(!index.add("tool_7"));
        assert_eq!(index.find("tool_999"), Some(999));
    }
}
