//! Texts and lists of the table, by number: what they are and why is said in
//! `build/store.rs`. They read as `&str` and as slices.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::ops::Deref;

use cerco_model::Verdict;

use super::{Atom, Mark, OptionRow, Row, Slot, data};

/// A text of the table.
#[derive(Clone, Copy)]
pub struct Text {
    at: u32,
    length: u32,
}

/// For the generated rows.
pub(super) const fn text(at: u32, length: u32) -> Text {
    Text { at, length }
}

impl Text {
    /// The text itself.
    #[must_use]
    pub fn get(self) -> &'static str {
        let (at, length) = (self.at as usize, self.length as usize);
        data::TEXT.get(at..at + length).unwrap_or_default()
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.get()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.get() == other
    }
}

impl Debug for Text {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.get(), f)
    }
}

/// A list of the table.
pub struct List<T> {
    at: u32,
    length: u32,
    of: PhantomData<T>,
}

/// For the generated rows.
pub(super) const fn list<T>(at: u32, length: u32) -> List<T> {
    List {
        at,
        length,
        of: PhantomData,
    }
}

impl<T> List<T> {
    /// Nothing in it.
    pub(super) const EMPTY: Self = list(0, 0);
}

impl<T: Stored> List<T> {
    /// What is in it.
    #[must_use]
    pub fn get(self) -> &'static [T] {
        let (at, length) = (self.at as usize, self.length as usize);
        T::all().get(at..at + length).unwrap_or_default()
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T: Stored> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.get()
    }
}

impl<T: Stored> IntoIterator for List<T> {
    type Item = &'static T;
    type IntoIter = std::slice::Iter<'static, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.get().iter()
    }
}

impl<T: Stored + Debug> Debug for List<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.get(), f)
    }
}

/// What lists are made of.
pub trait Stored: 'static + Sized {
    /// Everything of this type that the table has.
    fn all() -> &'static [Self];
}

macro_rules! stored {
    ($($of:ty => $all:ident),* $(,)?) => {$(
        impl Stored for $of {
            fn all() -> &'static [Self] {
                data::$all
            }
        }
    )*};
}

stored! {
    Text => ALL_TEXTS,
    Slot => ALL_SLOTS,
    OptionRow => ALL_OPTIONS,
    Mark => ALL_MARKS,
    List<Atom> => ALL_CLAUSES,
    Atom => ALL_ATOMS,
    Row => ALL_ROWS,
    Named => ALL_NAMED,
    (Verdict, Text) => ALL_EXAMPLES,
}

/// A name and the row it stands for.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// The name.
    pub name: Text,
    /// The row's number.
    pub(super) row: u32,
}

impl Named {
    /// The row.
    #[must_use]
    pub fn row(self) -> Option<&'static Row> {
        Row::all().get(self.row as usize)
    }
}
