//! Environments: what an expression may use.
//!
//! [`Env::kubernetes`] gives what the API server of a version offers; [`EnvBuilder`] adds variables, shapes, further
//! libraries and limits. An environment compiles any number of expressions and is cheap to clone.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ast::Name;
use crate::check::{Checked, check, validate};
use crate::cost::{Range, estimate};
use crate::declare::{Functions, Overload};
use crate::error::CompileErrors;
use crate::library::{Library, LibrarySet};
use crate::macros::{MacroGroup, MacroSet};
use crate::parse::{MAX_CODE_POINTS, ParseOptions, parse};
use crate::plan::{PlanError, Program, plan};
use crate::shape::{ShapeId, Shapes};
use crate::types::Type;

/// A minor version of Kubernetes: 36 stands for 1.36.
pub type Minor = u32;

/// For whom an environment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Expressions that are new: only what the version itself has.
    New,
    /// Expressions that were accepted before: also what later versions have.
    Stored,
}

/// What expressions may use.
#[derive(Clone, Debug)]
pub struct Env {
    functions: Arc<Functions>,
    types: Arc<BTreeMap<Name, Type>>,
    parse: ParseOptions,
    pub(crate) container: Name,
    variables: Vec<(Name, Type)>,
    pub(crate) shapes: Arc<Shapes>,
    pub(crate) rules: LanguageRules,
    pub(crate) format_version: Option<u32>,
    /// Names of types whose literals may have any field, as may those below them.
    open_messages: Vec<Name>,
}

/// What the checks after and beside the types ask for.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, each since a version of its own"
)]
pub(crate) struct LanguageRules {
    /// Numbers of different types can be ordered.
    pub(crate) cross_type_numbers: bool,
    /// Reserved words name fields without escaping.
    pub(crate) reserved_names: bool,
    /// Literals of durations, timestamps and patterns must be valid.
    pub(crate) valid_literals: bool,
    /// Elements of list and map literals must be of one type.
    pub(crate) homogeneous: bool,
}

impl Env {
    /// The environment of a Kubernetes version. Reading the libraries takes a while: build it once and
    /// [`Env::extend`] it for each set of variables, which takes next to nothing.
    pub fn kubernetes(version: Minor, purpose: Purpose) -> EnvBuilder {
        let mut builder = EnvBuilder::new(&LibrarySet::kubernetes(version, purpose));
        let has = |since| purpose == Purpose::Stored || version >= since;
        builder.env.rules = LanguageRules {
            cross_type_numbers: has(28),
            reserved_names: has(31),
            valid_literals: has(29),
            homogeneous: true,
        };
        builder
    }

    /// The language with these libraries and no Kubernetes restrictions.
    pub fn standard(libraries: &[Library]) -> EnvBuilder {
        let mut builder = EnvBuilder::new(&LibrarySet::of(libraries));
        builder.env.rules.cross_type_numbers = true;
        builder
    }

    /// A builder that starts from this environment.
    #[must_use]
    pub fn extend(&self) -> EnvBuilder {
        EnvBuilder { env: self.clone() }
    }

    /// Parses and checks an expression.
    pub fn compile(&self, text: &str) -> Result<Checked, CompileErrors> {
        let ast = parse(text, &self.parse)?;
        let checked = check(self, text, ast, false)?;
        validate::validate(self, &checked)?;
        Ok(checked)
    }

    /// Parses an expression without checking it: what cannot be resolved fails when it runs.
    pub fn parse_unchecked(&self, text: &str) -> Result<Checked, CompileErrors> {
        let ast = parse(text, &self.parse)?;
        check(self, text, ast, true)
    }

    /// Makes a checked expression ready to run.
    pub fn plan(&self, checked: &Checked) -> Result<Program, PlanError> {
        let has_literals = !self.open_messages.is_empty();
        plan(checked, &self.shapes, self.rules.reserved_names, has_literals)
    }

    /// The cost of a checked expression at least and at most, its variables being of the shape `root`.
    pub fn estimate_cost(&self, checked: &Checked, root: Option<ShapeId>) -> Range {
        estimate(checked, &self.shapes, &|_| root)
    }

    /// The cost of a checked expression at least and at most, its variables being of the shapes that `roots` gives them.
    pub fn estimate_cost_by(
        &self,
        checked: &Checked,
        roots: &dyn Fn(&str) -> Option<ShapeId>,
    ) -> Range {
        estimate(checked, &self.shapes, roots)
    }

    /// The names an identifier may stand for, nearest first.
    pub(crate) fn candidates(&self, name: &str) -> Vec<String> {
        if let Some(absolute) = name.strip_prefix('.') {
            return vec![absolute.to_owned()];
        }
        let mut candidates = Vec::new();
        let mut container = &*self.container;
        while !container.is_empty() {
            candidates.push(format!("{container}.{name}"));
            container = container.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        candidates.push(name.to_owned());
        candidates
    }

    pub(crate) fn variable(&self, name: &str) -> Option<(&Name, &Type)> {
        self.variables.iter().find(|(other, _)| &**other == name).map(|(name, ty)| (name, ty))
    }

    pub(crate) fn type_name(&self, name: &str) -> Option<Type> {
        self.types
            .get(name)
            .cloned()
            .or_else(|| self.shapes.object(name).map(|_| Type::Struct(name.into())))
            .or_else(|| self.is_open(name).then(|| Type::Struct(name.into())))
    }

    /// Whether literals of the type with this name may have any field.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        self.open_messages.iter().any(|open| {
            name.strip_prefix(&**open).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    pub(crate) fn function(&self, name: &str) -> Option<(&Name, &[Arc<Overload>])> {
        // Without a container there is only one candidate.
        if self.container.is_empty() {
            return self.functions.find(name.strip_prefix('.').unwrap_or(name));
        }
        self.candidates(name).into_iter().find_map(|candidate| self.functions.find(&candidate))
    }
}

/// Makes an environment.
#[derive(Clone, Debug)]
pub struct EnvBuilder {
    env: Env,
}

impl EnvBuilder {
    fn new(libraries: &LibrarySet) -> Self {
        let mut functions = Functions::default();
        let mut macros = MacroSet::default();
        macros.enable(MacroGroup::Standard);
        let mut types: BTreeMap<Name, Type> =
            STANDARD_TYPES.iter().map(|(name, ty)| ((*name).into(), ty())).collect();
        let mut format_version = None;
        for library in libraries.iter() {
            library.definitions().iter().for_each(|table| functions.declare(table));
            library.macros().iter().for_each(|group| macros.enable(*group));
            for ty in library.types() {
                types.insert(ty.runtime_name().into(), ty);
            }
            if let Library::Strings(version) = library {
                format_version = Some(version);
            }
        }
        let optional_syntax = libraries.contains(Library::Optional);
        let env = Env {
            functions: Arc::new(functions),
            types: Arc::new(types),
            parse: ParseOptions {
                macros,
                optional_syntax,
                escaped_identifiers: true,
                max_code_points: MAX_CODE_POINTS,
            },
            container: "".into(),
            variables: Vec::new(),
            shapes: Arc::new(Shapes::default()),
            rules: LanguageRules::default(),
            format_version,
            open_messages: Vec::new(),
        };
        Self { env }
    }

    /// Declares a variable.
    #[must_use]
    pub fn variable(mut self, name: &str, ty: Type) -> Self {
        self.env.variables.retain(|(other, _)| &**other != name);
        self.env.variables.push((name.into(), ty));
        self
    }

    /// Adds the functions of a library.
    #[must_use]
    pub fn library(mut self, library: Library) -> Self {
        let functions = Arc::make_mut(&mut self.env.functions);
        library.definitions().iter().for_each(|table| functions.declare(table));
        self
    }

    /// Sets the shapes variables are read by.
    #[must_use]
    pub fn shapes(mut self, shapes: Arc<Shapes>) -> Self {
        self.env.shapes = shapes;
        self
    }

    /// Declares a type whose literals may have any field, as may those of all types below it: `Object`, `Object.spec`.
    /// With it, literals of all types can be run: they are maps.
    #[must_use]
    pub fn open_message(mut self, name: &str) -> Self {
        self.env.open_messages.push(name.into());
        self
    }

    /// Sets the namespace in which names are looked up first.
    #[must_use]
    pub fn container(mut self, name: &str) -> Self {
        self.env.container = name.into();
        self
    }

    /// Keeps only the functions that `allowed` accepts; operators are functions such as `_+_`.
    #[must_use]
    pub fn allow_functions(mut self, allowed: impl Fn(&str) -> bool) -> Self {
        let mut functions = (*self.env.functions).clone();
        functions.retain(allowed);
        self.env.functions = Arc::new(functions);
        self
    }

    /// Limits the size of expressions in code points.
    #[must_use]
    pub fn max_code_points(mut self, limit: usize) -> Self {
        self.env.parse.max_code_points = limit.min(MAX_CODE_POINTS);
        self
    }

    /// The environment.
    pub fn build(self) -> Env {
        self.env
    }
}

type NamedType = (&'static str, fn() -> Type);

/// Types that can be named in expressions.
const STANDARD_TYPES: [NamedType; 12] = [
    ("bool", || Type::Bool),
    ("bytes", || Type::Bytes),
    ("double", || Type::Double),
    ("google.protobuf.Duration", || Type::Duration),
    ("google.protobuf.Timestamp", || Type::Timestamp),
    ("int", || Type::Int),
    ("list", || Type::list(Type::Dyn)),
    ("map", || Type::map(Type::Dyn, Type::Dyn)),
    ("null_type", || Type::Null),
    ("string", || Type::String),
    ("type", || Type::Type(None)),
    ("uint", || Type::Uint),
];
