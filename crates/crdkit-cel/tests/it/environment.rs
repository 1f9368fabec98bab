//! Which environments have what, and what their limits do.

use std::cell::Cell;

use crdkit_cel::{Arena, Env, EvalError, Library, Limits, Purpose};

use crate::fixture::{Fixture, is_true};

/// Expression, and the first minor version whose new expressions may use it.
const SINCE: [(&str, u32); 12] = [
    ("self.name.find('w') == 'w'", 0),
    ("url('https://a').getHost() == 'a'", 0),
    ("self.numbers.sum() > 1.5", 28),
    ("quantity(self.memory).isInteger()", 28),
    ("self.?zone.hasValue()", 28),
    ("sets.contains([1, 2], [1])", 29),
    ("ip(self.address).family() == 4", 30),
    ("cidr('10.0.0.0/8').containsIP(self.address)", 30),
    ("format.dns1123Label().validate(self.name).hasValue()", 31),
    ("self.labels.all(k, v, v != '')", 32),
    ("semver(self.version).major() == 1", 33),
    ("self.numbers.sort() == [1, 2, 3]", 34),
];

#[test]
fn new_expressions_may_use_what_their_version_has() {
    let fixture = Fixture::new();
    for (expression, since) in SINCE {
        for version in 24..=37 {
            let env = fixture.in_env(Env::kubernetes(version, Purpose::New)).build();
            assert_eq!(
                env.compile(expression).is_ok(),
                version >= since,
                "{expression} in 1.{version}"
            );
        }
    }
}

#[test]
fn stored_expressions_may_use_what_later_versions_have() {
    let fixture = Fixture::new();
    for version in [24, 36, 37] {
        let env = fixture.in_env(Env::kubernetes(version, Purpose::Stored)).build();
        for (expression, _) in SINCE {
            assert!(env.compile(expression).is_ok(), "{expression} in 1.{version}");
        }
        assert!(env.compile("self.tags.includes('a')").is_ok(), "1.{version}");
    }
    let env = fixture.in_env(Env::kubernetes(36, Purpose::New)).build();
    assert!(env.compile("self.tags.includes('a')").is_err());
}

#[test]
fn functions_can_be_forbidden() {
    let fixture = Fixture::new();
    let env = fixture.env().allow_functions(|name| name != "matches").build();
    assert!(env.compile("self.name.startsWith('w')").is_ok());
    let errors = env.compile("self.name.matches('w')").unwrap_err().to_string();
    assert!(errors.contains("undeclared reference to 'matches'"), "{errors}");
}

#[test]
fn expressions_can_be_kept_short() {
    let fixture = Fixture::new();
    let env = fixture.env().max_code_points(10).build();
    assert!(env.compile("1 + 1 == 2").is_ok());
    let errors = env.compile("1 + 1 == 22").unwrap_err().to_string();
    assert_eq!(
        errors,
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 11, limit 10"
    );
}

#[test]
fn a_container_is_searched_from_the_inside_out() {
    let env = Env::standard(&[])
        .container("a.b")
        .variable("a.b.x", crdkit_cel::Type::Int)
        .variable("a.x", crdkit_cel::Type::String)
        .variable("y", crdkit_cel::Type::Bool)
        .build();
    let type_of = |text: &str| env.compile(text).unwrap().result_type().to_string();
    assert_eq!(type_of("x"), "int");
    assert_eq!(type_of(".a.x"), "string");
    assert_eq!(type_of("y"), "bool");
}

#[test]
fn an_expression_says_which_variables_it_uses() {
    let fixture = Fixture::new();
    let env = fixture.env().variable("oldSelf", crdkit_cel::Type::Dyn).build();
    let checked = env.compile("self.tags.all(oldSelf, oldSelf != '')").unwrap();
    assert!(checked.uses_variable("self"));
    assert!(!checked.uses_variable("oldSelf"));
}

#[test]
fn the_general_libraries_are_there_for_those_who_ask() {
    let all =
        [Library::Math, Library::Encoders, Library::Bindings, Library::Block, Library::Strings(5)];
    let env = Env::standard(&all).build();
    for expression in [
        "math.greatest(1, 2.5, 2u) == 2.5",
        "base64.encode(b'hi') == 'aGk='",
        "cel.bind(x, [1, 2].map(y, y * 2), [2, 4].all(z, z in x))",
        "cel.block([1, cel.index(0) + 1], cel.index(1) == 2)",
        "'%.1f'.format([1234.56]) == '1234.6'",
    ] {
        let program = env.plan(&env.compile(expression).unwrap()).unwrap();
        let arena = Arena::new();
        let result = program.evaluate(&arena, |_| None, Limits::default()).result.unwrap();
        assert!(is_true(&result), "{expression}");
    }
}

#[test]
fn evaluation_asks_its_caller_whether_to_stop() {
    let fixture = Fixture::new();
    let env = fixture.env().build();
    let program = env.plan(&env.compile("lists.range(1000).all(x, x >= 0)").unwrap()).unwrap();
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() == 3
    };
    let mut limits = Limits::default();
    limits.stop = Some(&stop);
    let arena = Arena::new();
    let outcome = program.evaluate(&arena, |name| fixture.bind(name), limits);
    assert_eq!(outcome.result.unwrap_err(), EvalError::Interrupted);
    assert_eq!(asked.get(), 3);
}

#[test]
fn a_used_up_budget_ends_an_evaluation_that_would_absorb_errors() {
    let fixture = Fixture::new();
    let env = fixture.env().build();
    let program = env.plan(&env.compile("self.numbers.all(x, x > 0) || true").unwrap()).unwrap();
    let arena = Arena::new();
    let run = |cost| {
        let mut limits = Limits::default();
        limits.cost = cost;
        program.evaluate(&arena, |name| fixture.bind(name), limits)
    };
    let whole = run(u64::MAX);
    assert!(whole.result.is_ok());
    assert!(run(whole.cost).result.is_ok());
    for cost in 0..whole.cost {
        let outcome = run(cost);
        assert_eq!(outcome.result.unwrap_err(), EvalError::CostLimit, "limit {cost}");
        assert_eq!(outcome.cost, cost + 1);
    }
}

#[test]
fn environments_and_programs_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Env>();
    shared::<crdkit_cel::Checked>();
    shared::<crdkit_cel::Program>();
}
