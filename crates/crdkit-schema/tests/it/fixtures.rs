//! The project's own CRDs are ones the server takes.

use crate::support::{create, decode};

macro_rules! accepted {
    ($($name:ident),+) => {
        $(
            #[test]
            fn $name() {
                let path = concat!("../../../../fixtures/crds/", stringify!($name), ".yaml");
                let text = include_str!(concat!("../../../../fixtures/crds/", stringify!($name), ".yaml"));
                let lines: Vec<String> = create(&decode(text)).iter().map(ToString::to_string).collect();
                assert_eq!(lines, [""; 0], "{path}");
            }
        )+
    };
}

accepted!(backups, clusters, pipelines, queues, sensors);
