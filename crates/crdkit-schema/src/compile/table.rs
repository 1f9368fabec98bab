//! The table that nodes, names, literals and patterns stand in.

use super::literal::{DefaultId, Literal, LiteralId};
use super::more::{ResourceId, Slot};
use super::node::Node;
use super::pattern::{Pattern, PatternId};
#[cfg(feature = "cel")]
use super::rules::Rules;
use crate::rules::{OwnRules, RuleOptions};
use crdkit_value::{Document, Value};
use std::sync::{LazyLock, OnceLock};

/// Names a node in the [`Table`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub(crate) u32);

impl Id {
    /// The position of this id in tables with one row per node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A name in the table's text. Equal names of one table are equal here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// All compiled schemas of a set of CRDs.
#[derive(Debug)]
pub struct Table {
    pub(crate) nodes: Vec<Node>,
    pub(crate) text: String,
    pub(crate) literals: Vec<Literal>,
    pub(crate) defaults: Vec<Document>,
    pub(crate) patterns: Vec<Pattern>,
    /// What each reference refers to.
    pub(super) references: Vec<Id>,
    /// The dynamic anchors of each resource.
    pub(super) anchors: Vec<Vec<(Name, Id)>>,
    /// What rules may use.
    pub(crate) rule_options: RuleOptions,
    /// The rules, compiled when first needed.
    #[cfg(feature = "cel")]
    rules: OnceLock<Rules>,
    /// The same by an engine that a program brought.
    own_rules: OnceLock<OwnRules>,
    /// What an id of another table finds.
    pub(crate) empty: Node,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            text: String::new(),
            literals: Vec::new(),
            defaults: Vec::new(),
            patterns: Vec::new(),
            references: Vec::new(),
            anchors: Vec::new(),
            rule_options: RuleOptions::default(),
            #[cfg(feature = "cel")]
            rules: OnceLock::new(),
            own_rules: OnceLock::new(),
            empty: Node::default(),
        }
    }

    /// A table without schemas.
    pub fn empty() -> &'static Self {
        static EMPTY: LazyLock<Table> = LazyLock::new(Table::new);
        &EMPTY
    }

    /// The node called `id`.
    #[inline]
    pub fn node(&self, id: Id) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&self.empty)
    }

    /// What `id` refers to if it is a reference, `id` itself otherwise.
    #[inline]
    pub fn resolve(&self, id: Id) -> Id {
        match self.node(id).more().and_then(|more| more.target) {
            // What is referred to is not a reference itself, unless they form a loop, which is refused.
            Some(Slot(slot)) => self.references.get(slot as usize).copied().unwrap_or(id),
            None => id,
        }
    }

    /// The schema with the dynamic anchor `name` in a resource.
    pub fn anchor(&self, ResourceId(at): ResourceId, name: Name) -> Option<Id> {
        let anchors = self.anchors.get(at as usize)?;
        anchors.iter().find(|(known, _)| *known == name).map(|(_, id)| *id)
    }

    /// The text of a name.
    #[inline]
    pub fn name(&self, name: Name) -> &str {
        let start = name.start as usize;
        self.text.get(start..start + name.len as usize).unwrap_or_default()
    }

    /// The literal called `id`.
    pub fn literal(&self, id: LiteralId) -> &Literal {
        self.literals.get(id.0 as usize).unwrap_or(&Literal::Null)
    }

    /// The default called `id`.
    pub fn default_value(&self, id: DefaultId) -> Option<Value<'_>> {
        self.defaults.get(id.0 as usize).map(Document::root)
    }

    /// The pattern called `id`.
    pub fn pattern(&self, id: PatternId) -> Option<&Pattern> {
        self.patterns.get(id.0 as usize)
    }

    /// The rules of all schemas.
    #[cfg(feature = "cel")]
    pub fn rules(&self) -> &Rules {
        self.rules.get_or_init(|| Rules::new(self))
    }

    /// The programs that the table's engine makes of rules.
    pub(crate) fn own_rules(&self) -> &OwnRules {
        self.own_rules.get_or_init(|| OwnRules::new(self))
    }

    /// What the engine that rules are evaluated by says is wrong with those of the schema `id`, rule by rule. Nothing if
    /// no engine was brought.
    pub fn own_problems(&self, id: Id) -> Vec<Option<String>> {
        let engine = self.rule_options.engine.as_ref();
        let programs = engine.and_then(|engine| self.own_rules().get(engine, self, id));
        let problem = |program: Option<Result<_, &str>>| program?.err().map(str::to_owned);
        programs.map(|programs| programs.iter().map(problem).collect()).unwrap_or_default()
    }

    /// The ids of all nodes; a child has a smaller one than the schema it is in.
    pub fn ids(&self) -> impl Iterator<Item = Id> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(Id)
    }

    /// How many different schemas there are.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }
}
