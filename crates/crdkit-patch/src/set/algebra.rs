//! Unions, intersections and differences: one walk over two sorted lists.

use super::{Entry, Set};
use std::cmp::Ordering;
use std::iter::Peekable;

/// Entries of either side, with the one of the other that has the same element.
fn zip<'l, 'r, L, R>(left: L, right: R) -> impl Iterator<Item = (Option<L::Item>, Option<R::Item>)>
where
    L: Iterator,
    R: Iterator,
    L::Item: AsEntry<'l>,
    R::Item: AsEntry<'r>,
{
    let (mut left, mut right) = (left.peekable(), right.peekable());
    std::iter::from_fn(move || match order(&mut left, &mut right)? {
        Ordering::Less => Some((left.next(), None)),
        Ordering::Equal => Some((left.next(), right.next())),
        Ordering::Greater => Some((None, right.next())),
    })
}

fn order<'l, 'r, L, R>(left: &mut Peekable<L>, right: &mut Peekable<R>) -> Option<Ordering>
where
    L: Iterator,
    R: Iterator,
    L::Item: AsEntry<'l>,
    R::Item: AsEntry<'r>,
{
    match (left.peek(), right.peek()) {
        (Some(left), Some(right)) => Some(left.entry().element.cmp(&right.entry().element)),
        (Some(_), None) => Some(Ordering::Less),
        (None, Some(_)) => Some(Ordering::Greater),
        (None, None) => None,
    }
}

/// An entry, by value or by reference.
trait AsEntry<'a> {
    fn entry(&self) -> &Entry<'a>;
}

impl<'a> AsEntry<'a> for Entry<'a> {
    fn entry(&self) -> &Entry<'a> {
        self
    }
}

impl<'a> AsEntry<'a> for &Entry<'a> {
    fn entry(&self) -> &Entry<'a> {
        self
    }
}

impl Set<'_> {
    /// What is in either.
    pub(crate) fn union(self, other: Self) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let entries = zip(self.entries.into_iter(), other.entries.into_iter());
        let entries = entries.filter_map(|pair| match pair {
            (Some(left), Some(right)) => Some(Entry {
                element: left.element,
                owned: left.owned || right.owned,
                below: left.below.union(right.below),
            }),
            (left, right) => left.or(right),
        });
        Self { entries: entries.collect() }
    }

    /// What is in one of `sets`, in time that hardly depends on their number.
    pub(crate) fn union_of(mut sets: Vec<Self>) -> Self {
        while sets.len() > 1 {
            let mut pairs = sets.into_iter();
            let mut halved = Vec::with_capacity(pairs.len().div_ceil(2));
            while let Some(left) = pairs.next() {
                halved.push(left.union(pairs.next().unwrap_or_default()));
            }
            sets = halved;
        }
        sets.pop().unwrap_or_default()
    }

    /// What is in both.
    pub(crate) fn intersection(&self, other: &Set<'_>) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::default();
        }
        let entries = zip(self.entries.iter(), other.entries.iter());
        let entries = entries.filter_map(|pair| {
            let (Some(left), Some(right)) = pair else { return None };
            let (owned, below) = (left.owned && right.owned, left.below.intersection(&right.below));
            (owned || !below.is_empty()).then(|| Entry {
                element: left.element.clone(),
                owned,
                below,
            })
        });
        Self { entries: entries.collect() }
    }

    /// What is in this set and not in `other`.
    #[must_use]
    pub(crate) fn difference(self, other: &Set<'_>) -> Self {
        self.subtract(other, false)
    }

    /// The same, where a path in `other` stands for everything below it as well.
    #[must_use]
    pub(crate) fn recursive_difference(self, other: &Set<'_>) -> Self {
        self.subtract(other, true)
    }

    fn subtract(self, other: &Set<'_>, recursive: bool) -> Self {
        if self.is_empty() || other.is_empty() {
            return self;
        }
        let entries = zip(self.entries.into_iter(), other.entries.iter());
        let entries = entries.filter_map(|(left, right)| {
            let left = left?;
            let Some(right) = right else { return Some(left) };
            let owned = left.owned && !right.owned;
            let below = if recursive && right.owned {
                Set::default()
            } else {
                left.below.subtract(&right.below, recursive)
            };
            (owned || !below.is_empty()).then_some(Entry { element: left.element, owned, below })
        });
        Self { entries: entries.collect() }
    }

    /// Whether all of it is in `other`.
    pub(crate) fn is_subset(&self, other: &Set<'_>) -> bool {
        zip(self.entries.iter(), other.entries.iter()).all(|pair| match pair {
            (Some(left), Some(right)) => {
                (!left.owned || right.owned) && left.below.is_subset(&right.below)
            }
            (Some(_), None) => false,
            (None, _) => true,
        })
    }
}
