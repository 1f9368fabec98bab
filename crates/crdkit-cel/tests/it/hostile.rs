//! Input made to hurt: it must end soon, with an error or a value, and never by running out of stack.

use std::sync::Arc;

use crdkit_cel::{Arena, Binding, Env, EvalError, Library, Limits, Shape, ShapeKind, Shapes, Type};

use crate::fixture::{Fixture, is_true};

fn errors(text: &str) -> String {
    Fixture::new()
        .env()
        .build()
        .compile(text)
        .map_or_else(|errors| errors.to_string(), |_| String::new())
}

#[test]
fn nesting_ends_at_the_recursion_limit() {
    let deep = 5_000;
    for text in [
        format!("{}1{}", "(".repeat(deep), ")".repeat(deep)),
        format!("{}1{}", "[".repeat(deep), "]".repeat(deep)),
        format!("{}1{}", "{1:".repeat(deep), "}".repeat(deep)),
        format!("{}1{}", "size(".repeat(deep), ")".repeat(deep)),
        format!("{}1", "1+(".repeat(deep)),
        format!("{}1", "true?1:".repeat(deep)),
    ] {
        let errors = errors(&text);
        assert!(errors.contains("expression recursion limit exceeded: 250"), "{errors:.200}");
    }
}

#[test]
fn long_chains_are_parsed_without_recursion() {
    let long = 20_000;
    let text = format!("self{}", ".a".repeat(long));
    assert_eq!(errors(&text), "ERROR: <input>:-1:0: max recursion depth exceeded");
    assert_eq!(errors(&format!("{}true", "true && ".repeat(10_000))), "");
    assert_eq!(errors(&format!("{}true", "!".repeat(long))), "");
    let minus = errors(&format!("{}self.replicas", "-".repeat(long)));
    assert_eq!(minus, "");
}

#[test]
fn a_text_of_100001_characters_is_refused() {
    let text = format!("'{}'", "a".repeat(99_999));
    assert!(errors(&text).contains("size: 100001, limit 100000"));
    assert_eq!(errors(&format!("'{}'", "a".repeat(99_998))), "");
}

#[test]
fn broken_text_gives_a_bounded_number_of_errors() {
    for text in [
        "{".repeat(50_000),
        "]".repeat(50_000),
        "a b ".repeat(20_000),
        "\"".repeat(50_001),
        "#".repeat(50_000),
    ] {
        let errors = errors(&text);
        assert!(!errors.is_empty());
        assert!(errors.matches("ERROR").count() <= 101);
    }
}

#[test]
fn macros_that_copy_their_target_stay_bounded() {
    let text = format!("optional.of(1){}", ".optMap(x, x)".repeat(100));
    assert!(errors(&text).contains("expression is too large"));
}

#[test]
fn nested_loops_end_at_the_cost_limit() {
    let fixture = Fixture::new();
    let env = fixture.env().build();
    let nest = |inner: &str| format!("lists.range(1000).all(x, {inner})");
    let text = nest(&nest(&nest("true")).replace('x', "y"));
    let program = env.plan(&env.compile(&text).unwrap()).unwrap();
    let arena = Arena::new();
    let outcome = program.evaluate(&arena, |name| fixture.bind(name), Limits::default());
    assert_eq!(outcome.result.unwrap_err(), EvalError::CostLimit);
    assert_eq!(outcome.cost, Limits::PER_CALL + 1);
}

#[test]
fn quadratic_functions_are_charged_before_they_run() {
    let fixture = Fixture::new();
    let env = fixture.env().build();
    for text in [
        "lists.range(100000).distinct().size()",
        "sets.contains(lists.range(100000), lists.range(100000))",
    ] {
        let program = env.plan(&env.compile(text).unwrap()).unwrap();
        let arena = Arena::new();
        let outcome = program.evaluate(&arena, |name| fixture.bind(name), Limits::default());
        assert_eq!(outcome.result.unwrap_err(), EvalError::CostLimit, "{text}");
    }
}

#[test]
fn patterns_match_in_linear_time() {
    let fixture = Fixture::new();
    let subject = "a".repeat(5_000);
    for pattern in ["(a+)+$", "(a|aa)+$", "(a*)*b", "(.*a){12}b", "(a+a+)+b"] {
        let text = format!("'{subject}!'.matches('{pattern}')");
        assert!(fixture.result(&text).ends_with("false"), "{pattern}");
    }
}

#[test]
fn bytes_that_are_no_text_are_errors_or_shown_as_such() {
    let fixture = Fixture::new();
    for (text, error) in [
        ("string(b'\\xff')", "invalid UTF-8 in bytes, cannot convert to string"),
        ("string(b'\\xc3') == 'x' || self.replicas < 0", "invalid UTF-8"),
    ] {
        let errors = errors(text);
        let found = if errors.is_empty() { fixture.result(text) } else { errors };
        assert!(found.contains(error), "{text}: {found}");
    }
    assert!(!errors("'\\ud800' == ''").is_empty(), "half a surrogate pair");
    // A CBOR string need not be UTF-8: expressions see what the API server shows of it.
    let options = crdkit_codec::DecodeOptions::default();
    let document = crdkit_codec::cbor::decode(b"\x43a\xffb", &options).unwrap().document;
    let mut shapes = Shapes::default();
    let kind = ShapeKind::String;
    let shape = shapes.add(Shape { kind, nullable: false, max_elements: 10 });
    let env = Env::standard(&[Library::Strings(2)]).shapes(Arc::new(shapes));
    let env = env.variable("self", Type::String).build();
    let rule = "self.size() == 3 && self.matches('^a.b$') && self.charAt(1) == '\u{fffd}'";
    let program = env.plan(&env.compile(rule).unwrap()).unwrap();
    let bind = |_: &str| Some(Binding::Document(document.root(), shape));
    let arena = Arena::new();
    let outcome = program.evaluate(&arena, bind, Limits::default());
    assert!(is_true(&outcome.result.unwrap()));
}

#[test]
fn arithmetic_at_the_edges_is_an_error() {
    let fixture = Fixture::new();
    for (text, error) in [
        ("9223372036854775807 + self.replicas", "integer overflow"),
        ("-9223372036854775808 - self.replicas", "integer overflow"),
        ("-(-9223372036854775808 + 0 * self.replicas)", "integer overflow"),
        ("(-9223372036854775808 + 0 * self.replicas) / -1", "integer overflow"),
        ("(-9223372036854775808 + 0 * self.replicas) % -1", "integer overflow"),
        ("0u - 1u", "unsigned integer overflow"),
        ("1 / (self.replicas - 3)", "division by zero"),
        ("1 % (self.replicas - 3)", "modulus by zero"),
        ("int(1e30 * self.ratio)", "integer overflow"),
        ("uint(-self.replicas)", "unsigned integer overflow"),
        ("timestamp('9999-12-31T23:59:59Z') + self.timeout", "timestamp overflow"),
        ("duration('2562047h') + duration('2562047h')", "duration overflow"),
    ] {
        let found = fixture.result(text);
        assert!(found.ends_with(&format!("error: {error}")), "{text}: {found}");
    }
}

#[test]
fn looking_up_in_large_collections_needs_no_walk() {
    let items: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
    let members: Vec<String> =
        (0..20_000).map(|number| format!("\"k{number}\":{number}")).collect();
    let text = format!("{{\"list\":[{}],\"map\":{{{}}}}}", items.join(","), members.join(","));
    let options = crdkit_codec::DecodeOptions::default();
    let document = crdkit_codec::json::decode(text.as_bytes(), &options).unwrap().document;
    let mut shapes = Shapes::default();
    let shape = shapes.add(Shape { kind: ShapeKind::Dynamic, nullable: true, max_elements: 0 });
    let libraries = [Library::Lists, Library::Optional];
    let env =
        Env::standard(&libraries).shapes(Arc::new(shapes)).variable("self", Type::Dyn).build();
    let rule = "lists.range(30000).all(i, self.list[19999 - i % 20000] == self.map['k' + string(19999 - i % 20000)])";
    let program = env.plan(&env.compile(rule).unwrap()).unwrap();
    let arena = Arena::new();
    let outcome = program.evaluate(
        &arena,
        |_| Some(Binding::Document(document.root(), shape)),
        Limits::default(),
    );
    assert!(is_true(&outcome.result.unwrap()));
}

#[test]
fn the_deepest_expression_that_parses_also_checks_and_runs() {
    let fixture = Fixture::new();
    let env = fixture.env().build();
    let depth = 120;
    for (open, inner, close) in [
        ("self.numbers.all(x, ", "x > 0", ")"),
        ("self.numbers.map(x, ", "x", ").size()"),
        ("[", "self.replicas", "][0]"),
        ("(true ? ", "self.replicas", " : 1)"),
        ("optional.of(", "1", ").value()"),
        ("(1 + ", "self.replicas", ")"),
    ] {
        let text = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        let checked = env.compile(&text).unwrap();
        env.estimate_cost(&checked, Some(fixture.root));
        let program = env.plan(&checked).unwrap();
        let arena = Arena::new();
        let outcome = program.evaluate(&arena, |name| fixture.bind(name), Limits::default());
        assert!(
            matches!(outcome.result, Ok(_) | Err(EvalError::CostLimit)),
            "{open}: {:?}",
            outcome.result
        );
    }
}

#[test]
fn what_is_too_large_is_not_made() {
    let fixture = Fixture::new();
    let env = fixture.env().build();
    let long = "a".repeat(10_000);
    let nested = |depth: usize, step: &str, last: &str| {
        let mut text = last.to_owned();
        for level in (1..=depth).rev() {
            let step = step.replace('_', &format!("x{}", level - 1));
            text = format!("[{step}].all(x{level}, {text})");
        }
        text
    };
    let doubled = nested(40, "_ + _", "size(x40) > 0");
    let shared = nested(40, "[_, _]", "x40 == x40");
    let printed = nested(40, "[_, _]", "'%s'.format([x40]) == ''");
    for text in [
        format!("'{long}'.replace('a', '{long}').size() > 0"),
        format!("'{long}'.replace('', '{long}').replace('a', '{long}').size() > 0"),
        format!("'{long}'.split('').join('{long}').size() > 0"),
        format!("[[0, 0]].all(x0, {doubled})"),
        format!("['aa'].all(x0, {doubled})"),
        format!("[[0, 0]].all(x0, {shared})"),
        format!("[[0, 0]].all(x0, {printed})"),
        "lists.range(1000000).map(x, lists.range(1000000)).size() > 0".to_owned(),
    ] {
        let program = env.plan(&env.compile(&text).unwrap()).unwrap();
        let arena = Arena::new();
        let outcome = program.evaluate(&arena, |name| fixture.bind(name), Limits::default());
        let shown: String = text.chars().take(200).collect();
        assert_eq!(outcome.result.unwrap_err(), EvalError::CostLimit, "{shown}");
    }
}
