//! Text to tree.
//!
//! A recursive-descent parser over cel-go's grammar that expands macros as it goes. Broken input gets the messages
//! cel-go's generated parser gives (see [`recover`]); valid input takes the same path without ever failing. Nesting is
//! bounded per rule, so neither this parser nor the stages after it can run out of stack.

mod expression;
mod grammar;
mod literal;
mod primary;
mod recover;

use std::sync::Arc;

use recover::{Abort, TokenStream};

use crate::ast::{Ast, ExprId, ExprKind, Name};
use crate::error::{Collected, CompileErrors};
use crate::macros::{Expander, MacroSet};
use crate::source::Position;

/// Default limit on the size of an expression in code points.
pub(crate) const MAX_CODE_POINTS: usize = 100_000;
/// How deep operators, selections and calls may be nested in each other.
const MAX_HEIGHT: u16 = 250;

/// What the environment lets an expression use.
#[derive(Clone, Debug)]
pub(crate) struct ParseOptions {
    pub(crate) macros: MacroSet,
    pub(crate) optional_syntax: bool,
    pub(crate) escaped_identifiers: bool,
    pub(crate) max_code_points: usize,
}

/// Parses an expression.
pub(crate) fn parse(text: &str, options: &ParseOptions) -> Result<Ast, CompileErrors> {
    // Bytes bound code points from above, so most texts need no counting.
    if text.len() > options.max_code_points {
        let size = text.chars().count();
        let limit = options.max_code_points;
        if size > limit {
            let message =
                format!("expression code point size exceeds limit: size: {size}, limit {limit}");
            return Err(CompileErrors::whole(text, message));
        }
    }
    let mut parser = CelParser {
        stream: TokenStream::new(text),
        options,
        ast: Ast::default(),
        heights: Vec::new(),
        too_deep: false,
        problems: Collected::default(),
    };
    if let Ok(root) = parser.start() {
        parser.ast.set_root(root);
        if parser.too_deep {
            parser.stream.whole("max recursion depth exceeded".to_owned());
        }
        let problems = std::mem::take(&mut parser.problems);
        parser.stream.errors.append(problems);
    }
    let CelParser { stream, ast, .. } = parser;
    stream.errors.into_result(text)?;
    Ok(ast)
}

struct CelParser<'t> {
    stream: TokenStream<'t>,
    options: &'t ParseOptions,
    ast: Ast,
    /// Nesting of operators, selections and calls below each node.
    heights: Vec<u16>,
    too_deep: bool,
    /// Errors that are not about syntax; dropped when parsing had to be given up.
    problems: Collected,
}

type ParseResult<T> = Result<T, Abort>;

impl CelParser<'_> {
    fn add(&mut self, position: Position, kind: ExprKind) -> ExprId {
        self.ast.add(position, kind)
    }

    fn missing(&mut self) -> ExprId {
        self.add(Position::NOWHERE, ExprKind::Unspecified)
    }

    fn problem(&mut self, position: Position, message: impl Into<String>) -> ExprId {
        self.problems.report(position, message.into());
        self.add(position, ExprKind::Unspecified)
    }

    fn height(&self, id: ExprId) -> u16 {
        self.heights.get(id.index()).copied().unwrap_or(0)
    }

    /// Records that `id` stands on `parts`, one level up when it `counts`.
    fn raise(&mut self, id: ExprId, parts: &[ExprId], counts: bool) -> ExprId {
        let below = parts.iter().map(|&part| self.height(part)).max().unwrap_or(0);
        let height = below.saturating_add(u16::from(counts));
        self.too_deep |= height > MAX_HEIGHT;
        if self.heights.len() <= id.index() {
            self.heights.resize(id.index() + 1, 0);
        }
        if let Some(slot) = self.heights.get_mut(id.index()) {
            *slot = height;
        }
        id
    }

    fn operator(
        &mut self,
        position: Position,
        function: &str,
        arguments: Vec<ExprId>,
        counts: bool,
    ) -> ExprId {
        let parts = arguments.clone();
        let call = ExprKind::Call { target: None, function: Name::from(function), arguments };
        let id = self.add(position, call);
        self.raise(id, &parts, counts)
    }

    /// A call that may be a macro.
    fn call(
        &mut self,
        position: Position,
        target: Option<ExprId>,
        function: &str,
        arguments: Vec<ExprId>,
    ) -> ExprId {
        let mut parts = arguments.clone();
        parts.extend(target);
        let expansion =
            self.options.macros.find(function, arguments.len(), target.is_some()).and_then(
                |found| Expander::new(&mut self.ast, position).expand(found, target, &arguments),
            );
        let id = match expansion {
            Some(Ok(id)) => id,
            Some(Err(error)) => self.problem(error.position, error.message),
            None => self
                .add(position, ExprKind::Call { target, function: Arc::from(function), arguments }),
        };
        self.raise(id, &parts, target.is_some())
    }
}
