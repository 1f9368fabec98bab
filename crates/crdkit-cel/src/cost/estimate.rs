//! The cost of an expression before it runs, at least and at most.
//!
//! Walks the checked tree with the bounds its caller declared in [`crate::Shapes`]. Sizes travel along paths
//! (`self.list.@items`) and through the results of functions. Follows cel-go's `checker/cost.go`.

use super::model::{Argument, CallEstimate};
use super::{CostModel, LIST, MAP, Range, SELECT, STRUCT};
use crate::ast::{ACCUMULATOR, Comprehension, ExprId, ExprKind, Literal, Name};
use crate::check::Checked;
use crate::shape::{ShapeId, Shapes};
use crate::types::Type;

/// Estimates the cost of a checked expression whose variables have the shapes that `root` gives them.
pub(crate) fn estimate(
    checked: &Checked,
    shapes: &Shapes,
    root: &dyn Fn(&str) -> Option<ShapeId>,
) -> Range {
    let count = checked.ast.len();
    let mut estimator = Estimator {
        checked,
        shapes,
        root,
        paths: vec![Vec::new(); count],
        sizes: vec![None; count],
        entries: vec![None; count],
        locals: Vec::new(),
    };
    estimator.cost(checked.ast.root())
}

type Path = Vec<Name>;

/// Sizes of the keys and values in a collection.
#[derive(Clone, Copy, Debug)]
struct EntrySize {
    is_list: bool,
    key: Range,
    value: Range,
}

#[derive(Clone, Debug)]
struct Local {
    name: Name,
    path: Path,
    size: Option<Range>,
    entry: Option<EntrySize>,
}

struct Estimator<'c> {
    checked: &'c Checked,
    shapes: &'c Shapes,
    root: &'c dyn Fn(&str) -> Option<ShapeId>,
    paths: Vec<Path>,
    sizes: Vec<Option<Range>>,
    entries: Vec<Option<EntrySize>>,
    locals: Vec<Local>,
}

impl<'c> Estimator<'c> {
    fn kind(&self, id: ExprId) -> &'c ExprKind {
        self.checked.ast.kind(id)
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| &*local.name == name)
    }

    fn path(&self, id: ExprId) -> Path {
        if let ExprKind::Ident(name) = self.kind(id)
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(id.index()).cloned().unwrap_or_default()
    }

    fn set_path(&mut self, id: ExprId, path: Path) {
        if let Some(slot) = self.paths.get_mut(id.index()) {
            *slot = path;
        }
    }

    fn extended(&self, id: ExprId, step: &str) -> Path {
        let mut path = self.path(id);
        path.push(step.into());
        path
    }

    fn set_size(&mut self, id: ExprId, size: Option<Range>) {
        if let (Some(slot), Some(size)) = (self.sizes.get_mut(id.index()), size) {
            *slot = Some(size);
        }
    }

    fn set_entry(&mut self, id: ExprId, entry: Option<EntrySize>) {
        if let (Some(slot), Some(entry)) = (self.entries.get_mut(id.index()), entry) {
            *slot = Some(entry);
        }
    }

    fn declared_size(&self, path: &[Name]) -> Option<Range> {
        let root = (self.root)(path.first()?)?;
        self.shapes.max_elements(root, path).map(Range::up_to)
    }

    fn size(&mut self, id: ExprId) -> Option<Range> {
        if let Some(size) = self.sizes.get(id.index()).copied().flatten() {
            return Some(size);
        }
        match self.kind(id) {
            ExprKind::Literal(Literal::String(text)) => {
                return Some(Range::exactly(text.chars().count() as u64));
            }
            ExprKind::Literal(Literal::Bytes(bytes)) => {
                return Some(Range::exactly(bytes.len() as u64));
            }
            ExprKind::Literal(_) => return Some(Range::ONE),
            ExprKind::List(elements) => return Some(Range::exactly(elements.len() as u64)),
            ExprKind::Map(entries) => return Some(Range::exactly(entries.len() as u64)),
            _ => {}
        }
        if let Some(size) = self.declared_size(&self.path(id)) {
            self.set_size(id, Some(size));
            return Some(size);
        }
        if self.checked.type_of(id).is_scalar() {
            return Some(Range::ONE);
        }
        match self.kind(id) {
            ExprKind::Ident(name) => self.local(name).and_then(|local| local.size),
            _ => None,
        }
    }

    fn entry(&self, id: ExprId) -> Option<EntrySize> {
        self.entries.get(id.index()).copied().flatten().or_else(|| match self.kind(id) {
            ExprKind::Ident(name) => self.local(name).and_then(|local| local.entry),
            _ => None,
        })
    }

    fn cost(&mut self, id: ExprId) -> Range {
        match self.kind(id) {
            ExprKind::Unspecified | ExprKind::Literal(_) => Range::ZERO,
            ExprKind::Ident(name) => {
                let path = self
                    .local(name)
                    .map_or_else(|| vec![Name::clone(name)], |local| local.path.clone());
                self.set_path(id, path);
                Range::exactly(SELECT)
            }
            ExprKind::Select { operand, test_only: true, .. } => self.cost(*operand),
            ExprKind::Select { operand, field, .. } => {
                let cost = self.cost(*operand);
                self.set_path(id, self.extended(*operand, field));
                match self.checked.type_of(*operand) {
                    Type::Map(_) | Type::Struct(_) => cost.plus(Range::exactly(SELECT)),
                    _ => cost,
                }
            }
            ExprKind::Call { target, function, arguments } => {
                self.call(id, *target, function, arguments)
            }
            ExprKind::List(elements) => {
                let mut cost = Range::exactly(LIST);
                let mut value = if elements.is_empty() { Range::ZERO } else { Range::EMPTY };
                for element in elements {
                    cost = cost.plus(self.cost(element.value));
                    value = value.union(self.size(element.value).unwrap_or(Range::UNKNOWN));
                }
                self.set_entry(id, Some(EntrySize { is_list: true, key: Range::ONE, value }));
                cost
            }
            ExprKind::Map(entries) => {
                let mut cost = Range::exactly(MAP);
                let empty = if entries.is_empty() { Range::ZERO } else { Range::EMPTY };
                let (mut key, mut value) = (empty, empty);
                for entry in entries {
                    cost = cost.plus(self.cost(entry.key)).plus(self.cost(entry.value));
                    key = key.union(self.size(entry.key).unwrap_or(Range::UNKNOWN));
                    value = value.union(self.size(entry.value).unwrap_or(Range::UNKNOWN));
                }
                self.set_entry(id, Some(EntrySize { is_list: false, key, value }));
                cost
            }
            ExprKind::Struct { fields, .. } => fields
                .iter()
                .fold(Range::exactly(STRUCT), |cost, field| cost.plus(self.cost(field.value))),
            ExprKind::Comprehension(comprehension) if self.is_bind(comprehension) => {
                self.bind(id, comprehension)
            }
            ExprKind::Comprehension(comprehension) => self.comprehension(id, comprehension),
        }
    }

    fn argument(&mut self, id: ExprId) -> Argument<'c> {
        let mut path = self.path(id);
        if path.first().is_some_and(|first| &**first == ACCUMULATOR || &**first == "__result__") {
            path.clear();
        }
        let ty = self.checked.type_of(id);
        let computed = self.size(id);
        let size = computed.or_else(|| self.declared_size(&path)).unwrap_or(Range::UNKNOWN);
        let (has_element, element_type) = match ty {
            Type::List(element) => (true, (**element).clone()),
            Type::Map(types) => (true, types.0.clone()),
            Type::Opaque(_, parameters) => {
                (!parameters.is_empty(), parameters.first().cloned().unwrap_or(Type::Dyn))
            }
            Type::Type(Some(inner)) => (true, (**inner).clone()),
            _ => (false, Type::Dyn),
        };
        let element_size = if path.is_empty() {
            None
        } else {
            path.push("@items".into());
            self.declared_size(&path)
        };
        Argument {
            ty,
            size,
            computed,
            literal: self.checked.ast.literal(id),
            element: has_element.then(|| (element_type, element_size.unwrap_or(Range::UNKNOWN))),
        }
    }

    fn call(
        &mut self,
        id: ExprId,
        target: Option<ExprId>,
        function: &str,
        arguments: &'c [ExprId],
    ) -> Range {
        if let ("dyn", &[argument]) = (function, arguments) {
            let cost = self.cost(argument);
            self.copy_sizes(id, argument);
            return Range::ONE.plus(cost);
        }
        let mut costs = Vec::with_capacity(arguments.len());
        let mut inputs = Vec::with_capacity(arguments.len() + 1);
        for &argument in arguments {
            costs.push(self.cost(argument));
            inputs.push(self.argument(argument));
        }
        let overloads = self.checked.overloads(id);
        let models: Vec<CostModel> = match overloads {
            [] if function == crate::ast::operator::OPTIONAL_SELECT => vec![CostModel::One],
            [] => return Range::ZERO,
            found => found.iter().map(|overload| overload.cost).collect(),
        };
        let mut total = Range::ZERO;
        if let Some(target) = target {
            total = self.cost(target);
            inputs.insert(0, self.argument(target));
        }
        let mut call_cost = Range::EMPTY;
        let mut result_size = None;
        for model in models {
            let estimate = self.model_cost(id, model, arguments, &inputs, &costs);
            call_cost = call_cost.union(estimate.cost);
            result_size = match (result_size, estimate.result_size) {
                (None, other) | (other, None) => other,
                (Some(a), Some(b)) => Some(Range::union(a, b)),
            };
            if let (CostModel::IndexList | CostModel::IndexMap, Some(&collection)) =
                (model, arguments.first())
            {
                result_size = self.entry(collection).map(|entry| entry.value);
                let step = if matches!(model, CostModel::IndexList) { "@items" } else { "@values" };
                self.set_path(id, self.extended(collection, step));
            }
            if result_size.is_none() {
                result_size = self.size(id);
            }
        }
        self.set_size(id, result_size);
        total.plus(call_cost)
    }

    fn model_cost(
        &mut self,
        id: ExprId,
        model: CostModel,
        arguments: &[ExprId],
        inputs: &[Argument<'_>],
        costs: &[Range],
    ) -> CallEstimate {
        let sum = costs.iter().fold(Range::ZERO, |sum, cost| sum.plus(*cost));
        match (model, arguments, costs) {
            (CostModel::Logic, _, [left, right]) => CallEstimate {
                cost: Range { min: left.min, max: left.plus(*right).max },
                result_size: None,
            },
            (CostModel::Conditional, &[_, yes, no], [condition, yes_cost, no_cost]) => {
                let size = |index: usize| {
                    inputs.get(index).map_or(Range::UNKNOWN, Argument::computed_or_unknown)
                };
                let entry = union_entries(self.entry(yes), self.entry(no));
                self.set_entry(id, entry);
                CallEstimate {
                    cost: condition.plus(yes_cost.union(*no_cost)),
                    result_size: Some(size(1).union(size(2))),
                }
            }
            _ => {
                if let (CostModel::AddList | CostModel::AddText, &[left, right]) =
                    (model, arguments)
                {
                    let entry = union_entries(self.entry(left), self.entry(right));
                    self.set_entry(id, entry);
                }
                let estimate = model.estimate(inputs);
                CallEstimate { cost: estimate.cost.plus(sum), ..estimate }
            }
        }
    }

    fn copy_sizes(&mut self, to: ExprId, from: ExprId) {
        let size = self.size(from);
        self.set_size(to, size);
        self.set_entry(to, self.entry(from));
    }

    fn is_bind(&self, comprehension: &Comprehension) -> bool {
        matches!(self.kind(comprehension.range), ExprKind::List(elements) if elements.is_empty())
            && matches!(
                self.checked.ast.literal(comprehension.condition),
                Some(Literal::Bool(false))
            )
    }

    fn bind(&mut self, id: ExprId, comprehension: &Comprehension) -> Range {
        let cost = self.cost(comprehension.range).plus(self.cost(comprehension.init));
        self.push_value(&comprehension.accumulator, comprehension.init);
        let cost = cost.plus(self.cost(comprehension.result));
        self.locals.pop();
        self.copy_sizes(id, comprehension.result);
        cost
    }

    fn push_value(&mut self, name: &Name, value: ExprId) {
        let path = self.path(value);
        let entry = self.entry(value);
        let size = self.size(value);
        self.locals.push(Local { name: Name::clone(name), path, size, entry });
    }

    fn push_iteration(
        &mut self,
        name: &Name,
        range: ExprId,
        steps: (&str, &str),
        of_key: (bool, bool),
    ) {
        let entry = self.entry(range);
        let is_list = entry.map_or_else(
            || matches!(self.checked.type_of(range), Type::List(_)),
            |entry| entry.is_list,
        );
        let (step, key) = if is_list { (steps.0, of_key.0) } else { (steps.1, of_key.1) };
        let path = self.extended(range, step);
        let size = entry.map(|entry| if key { entry.key } else { entry.value });
        self.locals.push(Local { name: Name::clone(name), path, size, entry: None });
    }

    fn comprehension(&mut self, id: ExprId, comprehension: &Comprehension) -> Range {
        let Comprehension {
            range,
            variable,
            second_variable,
            accumulator,
            init,
            condition,
            step,
            result,
        } = comprehension;
        let mut total = self.cost(*range).plus(self.cost(*init));
        let outer = self.locals.len();
        self.push_value(accumulator, *init);
        let inner = self.locals.len();
        match second_variable {
            Some(second) => {
                self.push_iteration(variable, *range, ("@indices", "@keys"), (true, true));
                self.push_iteration(second, *range, ("@items", "@values"), (false, false));
            }
            None => self.push_iteration(variable, *range, ("@items", "@keys"), (false, true)),
        }
        let condition_cost = self.cost(*condition);
        let step_cost = self.cost(*step);
        self.locals.truncate(inner);
        total = total.plus(self.cost(*result));
        self.locals.truncate(outer);
        let count = self.size(*range).unwrap_or(Range::UNKNOWN);
        total = total.plus(count.times(step_cost.plus(condition_cost)));
        match self.kind(*init) {
            ExprKind::Literal(_) => {
                let size = self.size(*init);
                self.set_size(id, size);
            }
            ExprKind::List(_) | ExprKind::Map(_) => {
                self.set_size(id, Some(count));
                self.set_entry(id, self.entry(*step));
            }
            _ => {}
        }
        total
    }
}

fn union_entries(a: Option<EntrySize>, b: Option<EntrySize>) -> Option<EntrySize> {
    let (a, b) = (a?, b?);
    Some(EntrySize { is_list: a.is_list, key: a.key.union(b.key), value: a.value.union(b.value) })
}
