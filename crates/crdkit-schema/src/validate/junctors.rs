//! `anyOf`, `oneOf`, `allOf` and `not`.

use super::name::Name;
use super::outcome::Outcome;
use super::Validator;
use crate::model::{Schema, SchemaId};
use crdkit_issue::codes;
use crdkit_text::quote::quote;
use crdkit_value::Value;

impl Validator<'_, '_> {
    pub(super) fn junctors(&self, schema: &Schema<'_>, value: Value<'_>, name: Name<'_>) -> Outcome {
        let junctors = schema.junctors();
        let mut outcome = Outcome::default();
        let quoted = || quote(&name.to_string());
        self.any_of(&junctors.any_of, value, name, &mut outcome);
        self.one_of(&junctors.one_of, value, name, &mut outcome);
        if !junctors.all_of.is_empty() {
            let mut valid = 0;
            for id in &junctors.all_of {
                let clause = self.node(*id, value, name);
                valid += usize::from(clause.is_valid());
                outcome.merge(clause);
            }
            if valid < junctors.all_of.len() {
                let none = if valid == 0 { ". None validated" } else { "" };
                outcome.add(self.plain(codes::validate::ALL_OF, &quoted()).with("none", none));
            }
        }
        if let Some(not) = junctors.not
            && self.node(not, value, name).is_valid()
        {
            outcome.add(self.plain(codes::validate::NOT, &quoted()));
        }
        outcome.matched();
        outcome
    }

    /// The first clause that holds ends it; if none does, the one that came closest says why.
    fn any_of(&self, ids: &[SchemaId], value: Value<'_>, name: Name<'_>, outcome: &mut Outcome) {
        let mut best: Option<Outcome> = None;
        for id in ids {
            let clause = self.node(*id, value, name);
            if clause.is_valid() {
                return outcome.merge(clause);
            }
            if best.as_ref().is_none_or(|best| clause.matches() > best.matches()) {
                best = Some(clause);
            }
        }
        if let Some(best) = best {
            outcome.add(self.plain(codes::validate::ANY_OF, &quote(&name.to_string())));
            outcome.merge(best);
        }
    }

    fn one_of(&self, ids: &[SchemaId], value: Value<'_>, name: Name<'_>, outcome: &mut Outcome) {
        let mut best: Option<Outcome> = None;
        let mut first: Option<Outcome> = None;
        let mut valid = 0;
        for id in ids {
            let clause = self.node(*id, value, name);
            if clause.is_valid() {
                valid += 1;
                first = first.or(Some(clause));
            } else if best.as_ref().is_none_or(|best| clause.matches() > best.matches()) {
                best = Some(clause);
            }
        }
        if ids.is_empty() {
            return;
        }
        let found = match valid {
            1 => return first.into_iter().for_each(|first| outcome.merge(first)),
            0 => "Found none valid".to_owned(),
            _ => format!("Found {valid} valid alternatives"),
        };
        let quoted = quote(&name.to_string());
        outcome.add(self.plain(codes::validate::ONE_OF, &quoted).with("found", found));
        if let Some(best) = best.filter(|_| valid == 0) {
            outcome.merge(best);
        }
    }
}
