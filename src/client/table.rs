//! A small map with growing keys.
//!
//! Keys come from counters and few are alive at once, so a sorted vector finds
//! them as fast as a tree, in a tenth of the code.

pub(super) struct Table<K, V> {
    rows: Vec<(K, Box<V>)>,
}

impl<K: Ord + Copy, V> Table<K, V> {
    pub(super) const fn new() -> Self {
        Self { rows: Vec::new() }
    }

    fn find(&self, key: K) -> Result<usize, usize> {
        self.rows.binary_search_by(|row| row.0.cmp(&key))
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        match self.find(key) {
            Ok(at) => {
                if let Some(row) = self.rows.get_mut(at) {
                    *row.1 = value;
                }
            }
            Err(at) => self.rows.insert(at, (key, Box::new(value))),
        }
    }

    pub(super) fn get(&self, key: K) -> Option<&V> {
        Some(&*self.rows.get(self.find(key).ok()?)?.1)
    }

    pub(super) fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let at = self.find(key).ok()?;
        Some(&mut *self.rows.get_mut(at)?.1)
    }

    pub(super) fn remove(&mut self, key: K) -> Option<Box<V>> {
        let at = self.find(key).ok()?;
        let value = self.rows.remove(at).1;
        if self.rows.is_empty() && self.rows.capacity() > KEPT_ROWS {
            self.rows = Vec::new();
        }
        Some(value)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.rows.iter().map(|(key, value)| (*key, &**value))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut V)> {
        self.rows.iter_mut().map(|(key, value)| (*key, &mut **value))
    }

    /// All keys, in order.
    pub(super) fn keys(&self) -> Vec<K> {
        self.rows.iter().map(|row| row.0).collect()
    }

    /// Empties it; gives the keys that were there.
    pub(super) fn clear(&mut self) -> Vec<K> {
        std::mem::take(&mut self.rows).into_iter().map(|row| row.0).collect()
    }
}

/// An empty table keeps room for this many rows; more is let go, for wasm memory never shrinks.
const KEPT_ROWS: usize = 64;
