//! Loops.
//!
//! Charges what the general loop of the macro would cost: reading the accumulator, testing the condition, adding to the
//! list. The numbers are spelled out where they are charged.

use super::truth::Truth;
use super::{EvalError, Evaluated, Evaluation, Local, soft};
use crate::cost::{LIST, SELECT};
use crate::plan::{Collect, Fold, FoldKind, StepId};
use crate::value::{Data, Val, equal, hash_key};

/// What is iterated: pairs of key or index and element.
enum FoldItems<'v> {
    List(crate::value::ListIter<'v>, i64),
    Map(crate::value::MapIter<'v>),
}

impl<'v> Iterator for FoldItems<'v> {
    type Item = (Val<'v>, Evaluated<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::List(items, index) => {
                let item = items.next()?;
                *index += 1;
                Some((Val::Int(*index - 1), item))
            }
            Self::Map(entries) => entries.next(),
        }
    }
}

impl<'v> Evaluation<'v> {
    fn items(&mut self, fold: &'v Fold) -> Result<FoldItems<'v>, EvalError> {
        match self.run(fold.range)? {
            Val::List(list) => Ok(FoldItems::List(list.iter(self.data), 0)),
            Val::Map(map) => Ok(FoldItems::Map(map.iter(self.data))),
            other => Err(EvalError::message(format!(
                "got '{}', expected iterable type",
                go_type(&other)
            ))),
        }
    }

    #[inline(never)]
    pub(super) fn fold(&mut self, fold: &'v Fold) -> Evaluated<'v> {
        match &fold.kind {
            FoldKind::All(_) | FoldKind::Exists(_) => self.quantified(fold).map(Val::Bool),
            FoldKind::ExistsOne(predicate) => {
                let items = self.items(fold)?;
                self.exists_one(fold, items, *predicate)
            }
            FoldKind::Collect { filter, collect: Collect::List { value, constant } } => {
                let items = self.items(fold)?;
                self.collect_list(fold, items, *filter, *value, *constant)
            }
            FoldKind::Collect { filter, collect } => {
                let items = self.items(fold)?;
                self.collect_map(fold, items, *filter, collect)
            }
        }
    }

    /// `all` and `exists`.
    pub(super) fn quantified(&mut self, fold: &'v Fold) -> Result<bool, EvalError> {
        let items = self.items(fold)?;
        match fold.kind {
            FoldKind::All(predicate) => self.quantifier(fold, items, predicate, false),
            FoldKind::Exists(predicate) => self.quantifier(fold, items, predicate, true),
            _ => Err(EvalError::fixed("invalid program")),
        }
    }

    fn bind_item(&mut self, fold: &Fold, (key, value): (Val<'v>, Evaluated<'v>), is_list: bool) {
        let value = match value {
            Ok(value) => Local::Value(value),
            Err(error) => Local::Error(error),
        };
        if fold.two {
            self.set_local(fold.local, Local::Value(key));
            self.set_local(fold.local + 1, value);
        } else {
            self.set_local(fold.local, if is_list { value } else { Local::Value(key) });
        }
    }

    /// The loop ends at the first element that decides; errors before it are forgotten.
    fn quantifier(
        &mut self,
        fold: &'v Fold,
        items: FoldItems<'v>,
        predicate: StepId,
        decisive: bool,
    ) -> Result<bool, EvalError> {
        let is_list = matches!(items, FoldItems::List(..));
        // Reading the accumulator and testing it; `exists` also negates it.
        let condition = if decisive { 3 } else { 2 };
        let mut failed: Option<EvalError> = None;
        let mut decided = false;
        for item in items {
            self.tick()?;
            if decided {
                self.charge_steps(condition)?;
                break;
            }
            // The step reads the accumulator.
            self.charge_steps(condition + SELECT)?;
            self.bind_item(fold, item, is_list);
            match self.truth(predicate) {
                Truth::Failed => {
                    let error = self.take_failure();
                    if error.is_fatal() {
                        return Err(error);
                    }
                    failed.get_or_insert(error);
                }
                truth if truth == decisive.into() => {
                    decided = true;
                    failed = None;
                }
                _ => {}
            }
        }
        self.charge(SELECT)?;
        match failed {
            Some(error) => Err(error),
            None => Ok(decided == decisive),
        }
    }

    fn exists_one(
        &mut self,
        fold: &'v Fold,
        items: FoldItems<'v>,
        predicate: StepId,
    ) -> Evaluated<'v> {
        let is_list = matches!(items, FoldItems::List(..));
        let mut count = 0_u64;
        let mut failed = None;
        for item in items {
            self.tick()?;
            self.bind_item(fold, item, is_list);
            if self.passes(Some(predicate), &mut failed)? {
                // The accumulator and an addition.
                self.charge_steps(SELECT + 1)?;
                count += 1;
            }
        }
        // The accumulator and a comparison.
        self.charge_steps(SELECT + 1)?;
        match failed {
            Some(error) => Err(error),
            None => Ok(Val::Bool(count == 1)),
        }
    }

    /// Whether the filter lets the bound element pass; an error goes into `failed`.
    fn passes(
        &mut self,
        filter: Option<StepId>,
        failed: &mut Option<EvalError>,
    ) -> Result<bool, EvalError> {
        let Some(filter) = filter else {
            return Ok(true);
        };
        match self.truth(filter) {
            Truth::Failed => {
                let error = self.take_failure();
                if error.is_fatal() {
                    return Err(error);
                }
                *failed = Some(error);
                Ok(false)
            }
            truth => Ok(truth == Truth::True),
        }
    }

    fn collect_list(
        &mut self,
        fold: &'v Fold,
        items: FoldItems<'v>,
        filter: Option<StepId>,
        value: StepId,
        constant: bool,
    ) -> Evaluated<'v> {
        let is_list = matches!(items, FoldItems::List(..));
        let mut collected = Vec::new();
        let mut failed = None;
        for item in items {
            self.tick()?;
            self.bind_item(fold, item, is_list);
            if !self.passes(filter, &mut failed)? {
                continue;
            }
            self.charge(SELECT)?;
            let value = soft(self.run(value))?;
            // The list of one element, unless it is a constant, and the addition.
            if !constant {
                self.charge(LIST)?;
            }
            self.charge(1)?;
            match value {
                Ok(value) => collected.push(value),
                Err(error) => drop(failed.get_or_insert(error)),
            }
        }
        self.charge(SELECT)?;
        match failed {
            Some(error) => Err(error),
            None => Ok(self.data.arena.list(&collected)),
        }
    }

    fn collect_map(
        &mut self,
        fold: &'v Fold,
        items: FoldItems<'v>,
        filter: Option<StepId>,
        collect: &'v Collect,
    ) -> Evaluated<'v> {
        let is_list = matches!(items, FoldItems::List(..));
        let mut builder = MapBuilder::default();
        let mut failed = None;
        for item in items {
            self.tick()?;
            let key = item.0;
            self.bind_item(fold, item, is_list);
            if !self.passes(filter, &mut failed)? {
                continue;
            }
            self.charge(SELECT)?;
            let outcome = match collect {
                Collect::List { .. } => Ok(()),
                Collect::Entry { value } => {
                    if failed.is_some() {
                        // A call with three arguments stops at the accumulator's error.
                        continue;
                    }
                    self.charge(SELECT)?;
                    let value = soft(self.run(*value))?;
                    self.charge(1)?;
                    value.and_then(|value| builder.insert(self.data, key, value))
                }
                Collect::Entries { map } => {
                    let map = soft(self.run(*map))?;
                    self.charge(1)?;
                    match map {
                        Ok(Val::Map(map)) => map
                            .iter(self.data)
                            .try_for_each(|(key, value)| builder.insert(self.data, key, value?)),
                        Ok(_) => Err(EvalError::NoSuchOverload(None)),
                        Err(error) => Err(error),
                    }
                }
            };
            if let Err(error) = outcome {
                failed.get_or_insert(error);
            }
        }
        self.charge(SELECT)?;
        if let Some(error) = failed {
            Err(error)
        } else {
            let arena = self.data.arena;
            Ok(arena.map(&builder.entries))
        }
    }
}

/// How the server names the type of a value that cannot be iterated.
fn go_type(value: &Val<'_>) -> &'static str {
    match value {
        Val::Null => "types.Null",
        Val::Bool(_) => "types.Bool",
        Val::Int(_) => "types.Int",
        Val::Uint(_) => "types.Uint",
        Val::Double(_) => "types.Double",
        Val::String(_) => "types.String",
        Val::Bytes(_) => "types.Bytes",
        Val::Duration(_) => "types.Duration",
        Val::Timestamp(_) => "types.Timestamp",
        Val::Type(_) => "*types.Type",
        Val::Optional(_) => "*types.Optional",
        Val::List(_) | Val::Map(_) | Val::Opaque(_) | Val::Object(_) => "cel.Value",
    }
}

/// Entries of a map in the making, with an index to find keys that come again.
#[derive(Default)]
struct MapBuilder<'v> {
    entries: Vec<(Val<'v>, Val<'v>)>,
    index: hashbrown::HashTable<usize>,
}

impl<'v> MapBuilder<'v> {
    fn insert(&mut self, data: Data<'v>, key: Val<'v>, value: Val<'v>) -> Result<(), EvalError> {
        let Self { entries, index } = self;
        let seed = data.arena.seed();
        let hash = hash_key(seed, &key) as u64;
        let same = |&number: &usize| {
            entries
                .get(number)
                .is_some_and(|(other, _)| matches!(equal(data, other, &key), Ok(true)))
        };
        if index.find(hash, same).is_some() {
            let text = crate::library::convert::text_of(&key);
            return Err(EvalError::message(format!("insert failed: key {text} already exists")));
        }
        entries.push((key, value));
        let rehash =
            |&number: &usize| entries.get(number).map_or(0, |(key, _)| hash_key(seed, key) as u64);
        index.insert_unique(hash, entries.len() - 1, rehash);
        Ok(())
    }
}
