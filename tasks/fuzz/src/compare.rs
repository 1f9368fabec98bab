//! Changes of CRDs and samples: a CRD is a safe change of itself, and what is called accepted is.

use crate::documents;
use crdkit_codec::Decoded;
use crdkit_compat::crdify;
use crdkit_compat::semantic::{self, Verdict};
use crdkit_engine::{Crd, RequestOptions};
use crdkit_sample::{Extent, Sampler};
use crdkit_schema::{check, read};

/// A CRD as it is and as it is to be.
pub(crate) fn compat(bytes: &[u8]) {
    let mut documents = documents(bytes).into_iter().map(|it| it.document);
    let Some(old) = documents.next() else { return };
    let new = documents.next().unwrap_or_else(|| old.clone());
    let _ = semantic::compare(&old, &new);
    let [(before, _), (after, _)] = [&old, &new].map(|it| read::crd(it.root()));
    let text = || crdify::compare(&before, &after, &crdify::Config::default()).plain_text();
    assert_eq!(text(), text(), "a report is the same every time");
    if !check::create(&after).is_empty() {
        return;
    }
    if let Ok(report) = semantic::compare(&new, &new) {
        let unsafe_ones = report.answers.iter().filter(|it| it.verdict() == Verdict::Unsafe);
        let questions: Vec<_> = unsafe_ones.map(|it| it.question).collect();
        assert!(questions.is_empty(), "a CRD is a change of itself: {questions:?}");
    }
}

/// Samples of a CRD.
pub(crate) fn sample(bytes: &[u8]) {
    let Some(Decoded { document, .. }) = documents(bytes).into_iter().next() else { return };
    let Ok(sampler) = Sampler::new(&document) else { return };
    let Ok(crd) = Crd::compile(&document) else { return };
    for version in crd.compiled().versions() {
        for extent in [Extent::Minimal, Extent::Usual, Extent::All] {
            let Some(sample) = sampler.sample(&version.name, extent) else { continue };
            let is_called = sample.problems.is_empty();
            let verdict = crd.version(&version.name).map(|version| {
                version.create(sample.document.clone(), &RequestOptions::new()).is_accepted()
            });
            assert_eq!(verdict, Some(is_called), "what is called accepted is: {}", sample.document);
        }
    }
}
