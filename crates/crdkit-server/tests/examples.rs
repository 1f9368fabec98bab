//! The example of a service with reviews of its own runs.

#[path = "../examples/service.rs"]
mod service;

#[test]
fn the_service_answers_reviews() {
    service::main().expect("the service answers");
}
