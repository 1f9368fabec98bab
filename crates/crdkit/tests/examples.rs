//! The examples run, and the types of the front door can be shared between threads.

#[path = "../examples/stream.rs"]
mod stream;
#[path = "../examples/typed.rs"]
mod typed;
#[path = "../examples/update.rs"]
mod update;
#[path = "../examples/validate.rs"]
mod validate;
#[path = "../examples/webhook.rs"]
mod webhook;

#[test]
fn examples_run() {
    stream::main().unwrap();
    typed::main().unwrap();
    update::main().unwrap();
    validate::main().unwrap();
    webhook::main().unwrap();
}

#[test]
fn types_are_shared_between_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<crdkit::Crd>();
    check::<crdkit::CrdSet>();
    check::<crdkit::SharedCrdSet>();
    check::<crdkit::Document>();
    check::<crdkit::Issue>();
    check::<crdkit::Outcome>();
    check::<crdkit::RequestOptions>();
    check::<crdkit::Status>();
    check::<crdkit::Stored>();
    check::<crdkit::structure::Schema>();
}
