use crdkit::codec::{DecodeOptions, json};
#[path="../src/generate.rs"] mod generate;
fn main(){ let o=generate::object(0); let _=generate::list(1); let opts=DecodeOptions::default(); for _ in 0..400000 { std::hint::black_box(json::decode(o.as_bytes(),&opts)).ok(); } }
