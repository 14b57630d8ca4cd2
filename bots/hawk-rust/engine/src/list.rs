//! A list of few items that lie in it, so that to copy a position allocates nothing.

use std::ops::{Deref, DerefMut};

/// A list of at most `MOST` items.
#[derive(Clone, Copy, Debug)]
pub struct List<T, const MOST: usize> {
    items: [T; MOST],
    len: usize,
}

impl<T: Copy + Default, const MOST: usize> List<T, MOST> {
    pub fn new() -> Self {
        Self { items: [T::default(); MOST], len: 0 }
    }

    /// So many default items.
    pub fn of(len: usize) -> Self {
        Self { len: len.min(MOST), ..Self::new() }
    }

    pub fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }

    /// Takes an item out; the others keep their order.
    pub fn remove(&mut self, place: usize) -> T {
        let item = self[place];
        self.copy_within(place + 1.., place);
        self.len -= 1;
        item
    }
}

impl<T: Copy + Default, const MOST: usize> FromIterator<T> for List<T, MOST> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut list = Self::new();
        items.into_iter().for_each(|item| list.push(item));
        list
    }
}

impl<T, const MOST: usize> Deref for List<T, MOST> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items[..self.len]
    }
}

impl<T, const MOST: usize> DerefMut for List<T, MOST> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.len]
    }
}
