//! A server of a test's own.

use crate::runtime::{certificates, runtime};
use crdkit_codec::{DecodeError, DecodeOptions, Format};
use crdkit_schema::status::Status;
use crdkit_server::{Server, Settings, StartError};
use crdkit_value::{Document, Value};
use std::io;
use std::path::PathBuf;
use tempfile::TempDir;

/// A server that runs. It ends with the value.
pub struct TestEnv {
    server: Server,
    kubeconfig: String,
    directory: TempDir,
}

/// A server that is being set up.
#[derive(Default)]
pub struct TestEnvBuilder {
    crds: Vec<Document>,
    objects: Vec<Document>,
    settings: Settings,
}

/// Everything that a server holds at one moment.
#[derive(Clone)]
pub struct Snapshot(crdkit_server::Snapshot);

impl Snapshot {
    /// What is stored, by key, as bytes.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.entries.iter().map(|held| (&*held.entry.key, &*held.entry.value))
    }
}

/// Why there is no server, or not one like that.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TestEnvError {
    /// There are no threads to run on, or no certificates.
    #[error("the server cannot run: {0}")]
    Runtime(String),
    /// It did not start.
    #[error("the server did not start: {0}")]
    Start(#[from] StartError),
    /// An object is refused.
    #[error("{0}")]
    Refused(Box<Status>),
    /// A text has no objects.
    #[error("objects cannot be read: {0}")]
    Decode(#[from] DecodeError),
    /// The kubeconfig cannot be written.
    #[error("the kubeconfig cannot be written: {0}")]
    Kubeconfig(#[from] io::Error),
    /// There is no client.
    #[cfg(feature = "kube")]
    #[error("there is no client: {0}")]
    Client(Box<dyn std::error::Error + Send + Sync>),
}

impl TestEnv {
    /// A server with what every server has, and nothing else.
    ///
    /// # Errors
    /// When it does not start.
    pub async fn start() -> Result<Self, TestEnvError> {
        Self::builder().start().await
    }

    /// A server with more than that.
    pub fn builder() -> TestEnvBuilder {
        TestEnvBuilder::default()
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The kubeconfig of its administrator, as text.
    pub fn kubeconfig(&self) -> &str {
        &self.kubeconfig
    }

    /// The same as a file, which goes away with the server: what `KUBECONFIG` is set to for other programs.
    pub fn kubeconfig_file(&self) -> PathBuf {
        self.directory.path().join("kubeconfig")
    }

    /// The authority that its clients have to trust, as PEM.
    pub fn authority(&self) -> &str {
        self.server.authority()
    }

    /// A client of the crate `kube`.
    ///
    /// # Errors
    /// When `kube` has none.
    #[cfg(feature = "kube")]
    pub async fn client(&self) -> Result<kube::Client, TestEnvError> {
        use kube::config::{Config, KubeConfigOptions, Kubeconfig};
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| TestEnvError::Client(error);
        let kubeconfig = Kubeconfig::from_yaml(&self.kubeconfig).map_err(|it| failed(it.into()))?;
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        let config = config.map_err(|it| failed(it.into()))?;
        kube::Client::try_from(config).map_err(|it| failed(it.into()))
    }

    /// Creates the objects of a text, JSON or YAML, as its administrator would.
    ///
    /// # Errors
    /// When one is refused.
    pub async fn create(&self, text: &str) -> Result<(), TestEnvError> {
        for object in objects(text)? {
            self.server.create(object).await.map_err(TestEnvError::Refused)?;
        }
        Ok(())
    }

    /// Everything that is there, CRDs included, to go back to.
    ///
    /// # Errors
    /// When the store does not work.
    pub async fn snapshot(&self) -> Result<Snapshot, TestEnvError> {
        self.server.snapshot().await.map(Snapshot).map_err(TestEnvError::Refused)
    }

    /// Goes back: everything is as it was. Watches end and have to start over, as clients do by themselves.
    ///
    /// # Errors
    /// When the store does not work.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<(), TestEnvError> {
        self.server.restore(snapshot.0.clone()).await.map_err(TestEnvError::Refused)
    }

    /// Stops it, and waits until it has ended.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

impl TestEnvBuilder {
    /// CRDs that are there from the start, as YAML or JSON.
    ///
    /// # Errors
    /// When the text cannot be read.
    pub fn crds(mut self, text: &str) -> Result<Self, TestEnvError> {
        self.crds.extend(objects(text)?);
        Ok(self)
    }

    /// Objects of any kind that are there from the start, as YAML or JSON.
    ///
    /// # Errors
    /// When the text cannot be read.
    pub fn objects(mut self, text: &str) -> Result<Self, TestEnvError> {
        self.objects.extend(objects(text)?);
        Ok(self)
    }

    /// Switches and bounds of the server.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Starts it; it is ready when this returns.
    ///
    /// # Errors
    /// When it does not start, or an object is refused.
    pub async fn start(self) -> Result<TestEnv, TestEnvError> {
        let started = async move {
            let server = Server::builder()
                .certificates(certificates()?)
                .settings(self.settings)
                .crds(self.crds)
                .start()
                .await?;
            for object in self.objects {
                server.create(object).await.map_err(TestEnvError::Refused)?;
            }
            Ok::<_, TestEnvError>(server)
        };
        let started = runtime()?.spawn(started).await;
        let server = started.map_err(|error| TestEnvError::Runtime(error.to_string()))??;
        let kubeconfig = server.kubeconfig();
        let directory = tempfile::tempdir()?;
        std::fs::write(directory.path().join("kubeconfig"), &kubeconfig)?;
        Ok(TestEnv { server, kubeconfig, directory })
    }
}

/// The objects of a text; between documents there may be nothing.
fn objects(text: &str) -> Result<Vec<Document>, TestEnvError> {
    let options = DecodeOptions::default();
    let mut objects = Vec::new();
    for decoded in Format::of_bytes(text.as_bytes()).documents(text.as_bytes(), &options) {
        let document = decoded?.document;
        if document.root().get("kind").and_then(Value::as_str).is_some() {
            objects.push(document);
        }
    }
    Ok(objects)
}
