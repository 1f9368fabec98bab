//! Parsed expressions.
//!
//! Nodes live in one table and refer to each other by [`ExprId`]; macros are already expanded. The parser bounds the
//! depth of the tree, so later stages may walk it recursively.

use std::sync::Arc;

use crate::source::Position;

/// A name in an expression.
pub type Name = Arc<str>;

/// Number of a node in its [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(u32);

impl ExprId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A literal value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// `1`, `-1`, `0x1f`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.5`
    Double(f64),
    /// `'text'`
    String(Arc<str>),
    /// `b'bytes'`
    Bytes(Arc<[u8]>),
}

/// One element of a list literal.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// Its value.
    pub value: ExprId,
    /// Written `?value`: left out when the optional is empty.
    pub optional: bool,
}

/// One `key: value` of a map literal.
#[derive(Clone, Copy, Debug)]
pub struct MapEntry {
    /// Key.
    pub key: ExprId,
    /// Value.
    pub value: ExprId,
    /// Written `?key: value`.
    pub optional: bool,
}

/// One `field: value` of a message literal.
#[derive(Clone, Debug)]
pub struct FieldInit {
    /// Field name.
    pub field: Name,
    /// Value.
    pub value: ExprId,
    /// Written `?field: value`.
    pub optional: bool,
    /// Place of the colon.
    pub position: Position,
}

/// The loop all collection macros expand to.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// What is iterated.
    pub range: ExprId,
    /// Element or key; index or key when there are two variables.
    pub variable: Name,
    /// Element or value, in the two-variable form.
    pub second_variable: Option<Name>,
    /// Name of the accumulator.
    pub accumulator: Name,
    /// First value of the accumulator.
    pub init: ExprId,
    /// Checked before each step.
    pub condition: ExprId,
    /// Next value of the accumulator.
    pub step: ExprId,
    /// Value of the whole loop.
    pub result: ExprId,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Stands where the parser found an error.
    Unspecified,
    /// A literal.
    Literal(Literal),
    /// A variable; a leading dot means "from the root namespace".
    Ident(Name),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        /// What is selected from.
        operand: ExprId,
        /// Field or key.
        field: Name,
        /// Only tests whether the field is there.
        test_only: bool,
    },
    /// A call, with a target when written `target.function(arguments)`.
    Call {
        /// Receiver.
        target: Option<ExprId>,
        /// Function or operator name.
        function: Name,
        /// Arguments.
        arguments: Vec<ExprId>,
    },
    /// `[a, b]`
    List(Vec<Element>),
    /// `{k: v}`
    Map(Vec<MapEntry>),
    /// `Type{field: value}`
    Struct {
        /// Type name.
        name: Name,
        /// Fields.
        fields: Vec<FieldInit>,
    },
    /// A loop.
    Comprehension(Box<Comprehension>),
}

#[derive(Clone, Debug)]
struct AstNode {
    kind: ExprKind,
    position: Position,
}

/// An expression as a table of nodes.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    nodes: Vec<AstNode>,
    root: Option<ExprId>,
}

const UNSPECIFIED: ExprKind = ExprKind::Unspecified;

impl Ast {
    pub(crate) fn add(&mut self, position: Position, kind: ExprKind) -> ExprId {
        let id = ExprId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(AstNode { kind, position });
        id
    }

    pub(crate) fn set_root(&mut self, root: ExprId) {
        self.root = Some(root);
    }

    pub(crate) fn set_kind(&mut self, id: ExprId, kind: ExprKind) {
        if let Some(node) = self.nodes.get_mut(id.index()) {
            node.kind = kind;
        }
    }

    /// The functions and operators that are called, one for each call.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| match &node.kind {
            ExprKind::Call { function, .. } => Some(&**function),
            _ => None,
        })
    }

    /// The outermost node.
    pub fn root(&self) -> ExprId {
        self.root.unwrap_or(ExprId(u32::MAX))
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What the node is.
    pub fn kind(&self, id: ExprId) -> &ExprKind {
        self.nodes.get(id.index()).map_or(&UNSPECIFIED, |node| &node.kind)
    }

    /// Where the node is in the text: for operators and calls the operator or opening bracket.
    pub fn position(&self, id: ExprId) -> Position {
        self.nodes.get(id.index()).map_or(Position::NOWHERE, |node| node.position)
    }

    /// The dotted name a node spells, as in `a.b.c`.
    pub(crate) fn qualified_name(&self, id: ExprId) -> Option<String> {
        match self.kind(id) {
            ExprKind::Ident(name) => Some(name.to_string()),
            ExprKind::Select { operand, field, test_only: false } => {
                self.qualified_name(*operand).map(|prefix| format!("{prefix}.{field}"))
            }
            _ => None,
        }
    }

    /// The literal a node is.
    pub(crate) fn literal(&self, id: ExprId) -> Option<&Literal> {
        match self.kind(id) {
            ExprKind::Literal(literal) => Some(literal),
            _ => None,
        }
    }
}

/// Function names of the operators.
pub(crate) mod operator {
    pub(crate) const CONDITIONAL: &str = "_?_:_";
    pub(crate) const AND: &str = "_&&_";
    pub(crate) const OR: &str = "_||_";
    pub(crate) const NOT: &str = "!_";
    pub(crate) const NEGATE: &str = "-_";
    pub(crate) const EQUALS: &str = "_==_";
    pub(crate) const NOT_EQUALS: &str = "_!=_";
    pub(crate) const IN: &str = "@in";
    pub(crate) const LESS: &str = "_<_";
    pub(crate) const LESS_EQUALS: &str = "_<=_";
    pub(crate) const GREATER: &str = "_>_";
    pub(crate) const GREATER_EQUALS: &str = "_>=_";
    pub(crate) const ADD: &str = "_+_";
    pub(crate) const SUBTRACT: &str = "_-_";
    pub(crate) const MULTIPLY: &str = "_*_";
    pub(crate) const DIVIDE: &str = "_/_";
    pub(crate) const MODULO: &str = "_%_";
    pub(crate) const INDEX: &str = "_[_]";
    pub(crate) const OPTIONAL_INDEX: &str = "_[?_]";
    pub(crate) const OPTIONAL_SELECT: &str = "_?._";
    pub(crate) const NOT_STRICTLY_FALSE: &str = "@not_strictly_false";
}

/// Name of the hidden accumulator of macros.
pub(crate) const ACCUMULATOR: &str = "@result";
