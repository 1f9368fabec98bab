//! `kube`: derived types, every patch, watchers in three modes, a reflector, a controller with a finalizer, events, both discoveries, dynamic
//! objects, leases, eviction.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a program that reports"
)]

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Event as CoreEvent, Namespace, Pod};
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, EvictParams, GroupVersionKind, ListParams,
    PartialObjectMeta, Patch, PatchParams, PostParams, PropagationPolicy, WatchEvent, WatchParams,
};
use kube::discovery::{Discovery, pinned_kind};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder};
use kube::runtime::{WatchStreamExt as _, finalizer, reflector, wait, watcher};
use kube::{Api, Client, CustomResource, Resource as _, ResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "walk.example.com",
    version = "v1",
    kind = "Lamp",
    plural = "lamps",
    namespaced,
    status = "LampStatus"
)]
struct LampSpec {
    colour: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bulbs: Option<i32>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct LampStatus {
    phase: Option<String>,
    lit: Option<i32>,
}

const PATIENCE: Duration = Duration::from_secs(30);

fn lamp(name: &str, colour: &str) -> Lamp {
    let mut lamp = Lamp::new(name, LampSpec { colour: colour.to_owned(), bulbs: None });
    lamp.labels_mut().insert("walk".to_owned(), "yes".to_owned());
    lamp
}

/// Runs a step and says how it went.
async fn step(failed: &mut bool, name: &str, work: impl Future<Output = Result<()>>) {
    let outcome = match timeout(PATIENCE, work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(anyhow!("it takes too long")),
    };
    match outcome {
        Ok(()) => println!("ok {name}"),
        Err(error) => {
            *failed = true;
            println!("failed {name}: {:?}", format!("{error:#}"));
            eprintln!("{error:?}");
        }
    }
}

fn code(error: &kube::Error) -> u16 {
    match error {
        kube::Error::Api(status) => status.code,
        _ => 0,
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let client = Client::try_default().await?;
    let namespace = format!("walk-{}", std::process::id());
    let mut failed = false;
    Box::pin(walk(&client, &namespace, &mut failed)).await;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn walk(client: &Client, namespace: &str, failed: &mut bool) {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let lamps: Api<Lamp> = Api::namespaced(client.clone(), namespace);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let (post, own) = (PostParams::default(), PatchParams::apply("walk"));
    step(failed, "discovery", discovery(client)).await;
    step(failed, "namespace", async {
        let made = json!({"metadata": {"name": namespace}});
        namespaces.create(&post, &serde_json::from_value(made)?).await?;
        Ok(())
    })
    .await;
    step(failed, "create", async {
        let made = lamps.create(&post, &lamp("desk", "red")).await?;
        ensure!(made.spec.bulbs == Some(1), "{made:?}");
        let again = lamps.create(&post, &lamp("desk", "red")).await;
        ensure!(again.is_err_and(|error| code(&error) == 409), "created twice");
        Ok(())
    })
    .await;
    step(failed, "refused", async {
        let refused = lamps.create(&post, &lamp("odd", "pink")).await;
        ensure!(refused.as_ref().is_err_and(|error| code(error) == 422), "{refused:?}");
        Ok(())
    })
    .await;
    step(failed, "dry run", async {
        let dry = PostParams { dry_run: true, ..PostParams::default() };
        lamps.create(&dry, &lamp("dry", "red")).await?;
        ensure!(lamps.get_opt("dry").await?.is_none(), "it is there");
        Ok(())
    })
    .await;
    step(failed, "list", async {
        lamps.create(&post, &lamp("hall", "blue")).await?;
        let selected = ListParams::default().labels("walk=yes").fields("spec.colour=blue");
        ensure!(lamps.list(&selected).await?.items.len() == 1, "the selected ones");
        let page = lamps.list(&ListParams::default().limit(1)).await?;
        let token = page.metadata.continue_.context("one page only")?;
        let rest = lamps.list(&ListParams::default().limit(1).continue_token(&token)).await?;
        ensure!(rest.items[0].name_any() == "hall", "{rest:?}");
        ensure!(lamps.list_metadata(&ListParams::default()).await?.items.len() == 2, "metadata");
        Ok(())
    })
    .await;
    step(failed, "watch", watch(&lamps)).await;
    step(failed, "watchers", watchers(client, namespace, &lamps)).await;
    step(failed, "update", async {
        let mut desk = lamps.get("desk").await?;
        let stale = desk.clone();
        "green".clone_into(&mut desk.spec.colour);
        lamps.replace("desk", &post, &desk).await?;
        let refused = lamps.replace("desk", &post, &stale).await;
        ensure!(refused.is_err_and(|error| code(&error) == 409), "a stale update was accepted");
        Ok(())
    })
    .await;
    step(failed, "patch", async {
        let merge = Patch::Merge(json!({"spec": {"bulbs": 3}}));
        let now = lamps.patch("desk", &PatchParams::default(), &merge).await?;
        ensure!(now.spec.bulbs == Some(3), "{now:?}");
        let path = format!("/apis/walk.example.com/v1/namespaces/{namespace}/lamps/desk");
        let operations = json!([{"op": "replace", "path": "/spec/colour", "value": "blue"}]);
        let request = http::Request::patch(path)
            .header("content-type", "application/json-patch+json")
            .body(serde_json::to_vec(&operations)?)?;
        let now: Lamp = client.request(request).await?;
        ensure!(now.spec.colour == "blue", "{now:?}");
        let map = json!({"metadata": {"name": "notes"}, "data": {"a": "1"}});
        maps.create(&post, &serde_json::from_value(map)?).await?;
        let strategic = Patch::Strategic(json!({"data": {"a": null, "b": "2"}}));
        let notes = maps.patch("notes", &PatchParams::default(), &strategic).await?;
        ensure!(notes.data.is_some_and(|data| data.len() == 1 && data["b"] == "2"), "strategic");
        Ok(())
    })
    .await;
    step(failed, "apply", async {
        let made = lamps.patch("applied", &own, &Patch::Apply(lamp("applied", "red"))).await?;
        ensure!(made.managed_fields()[0].operation.as_deref() == Some("Apply"), "{made:?}");
        let other = PatchParams::apply("other");
        let blue = Patch::Apply(lamp("applied", "blue"));
        let refused = lamps.patch("applied", &other, &blue).await;
        ensure!(refused.is_err_and(|error| code(&error) == 409), "no conflict");
        let now = lamps.patch("applied", &other.force(), &blue).await?;
        ensure!(now.spec.colour == "blue", "{now:?}");
        Ok(())
    })
    .await;
    step(failed, "status", async {
        let status = Patch::Merge(json!({"status": {"phase": "on"}, "spec": {"bulbs": 77}}));
        let now = lamps.patch_status("desk", &PatchParams::default(), &status).await?;
        ensure!(now.spec.bulbs == Some(3), "{now:?}");
        ensure!(now.status.is_some_and(|it| it.phase.as_deref() == Some("on")), "the phase");
        Ok(())
    })
    .await;
    step(failed, "scale", async {
        ensure!(
            lamps.get_scale("desk").await?.spec.is_some_and(|it| it.replicas == Some(3)),
            "the number"
        );
        let five = Patch::Merge(json!({"spec": {"replicas": 5}}));
        lamps.patch_scale("desk", &PatchParams::default(), &five).await?;
        ensure!(lamps.get("desk").await?.spec.bulbs == Some(5), "the new number");
        Ok(())
    })
    .await;
    step(failed, "dynamic", async {
        let kind = GroupVersionKind::gvk("walk.example.com", "v1", "Lamp");
        let (resource, _) = pinned_kind(client, &kind).await?;
        let objects: Api<DynamicObject> =
            Api::namespaced_with(client.clone(), namespace, &resource);
        ensure!(objects.get("desk").await?.data["spec"]["bulbs"] == 5, "the number");
        Ok(())
    })
    .await;
    step(failed, "events", async {
        let recorder = Recorder::new(client.clone(), "walk".into());
        let event = Event {
            type_: EventType::Normal,
            reason: "Walked".into(),
            note: Some("by".into()),
            action: "Walking".into(),
            secondary: None,
        };
        let reference = lamps.get("desk").await?.object_ref(&());
        recorder.publish(&event, &reference).await?;
        // The second time the same event counts.
        recorder.publish(&event, &reference).await?;
        let events: Api<CoreEvent> = Api::namespaced(client.clone(), namespace);
        let selected = ListParams::default().fields("involvedObject.name=desk,reason=Walked");
        ensure!(events.list(&selected).await?.items.len() == 1, "one event");
        Ok(())
    })
    .await;
    step(failed, "leader election", leases(client, namespace)).await;
    step(failed, "eviction", async {
        let pods: Api<Pod> = Api::namespaced(client.clone(), namespace);
        let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
        pods.create(&post, &serde_json::from_value(pod)?).await?;
        pods.evict("p", &EvictParams::default()).await?;
        ensure!(pods.get_opt("p").await?.is_none(), "it is there");
        Ok(())
    })
    .await;
    step(failed, "native", async {
        let deployments: Api<Deployment> = Api::namespaced(client.clone(), namespace);
        let made = json!({"metadata": {"name": "walk"}, "spec": {"selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
        let made = deployments.create(&post, &serde_json::from_value(made)?).await?;
        ensure!(made.spec.replicas == Some(1), "the default");
        Ok(())
    })
    .await;
    step(failed, "controller", controller(client, namespace)).await;
    step(failed, "delete", async {
        let foreground = DeleteParams {
            propagation_policy: Some(PropagationPolicy::Background),
            ..DeleteParams::default()
        };
        let uid = lamps.get("desk").await?.uid().context("no uid")?;
        let answer = lamps.delete("desk", &foreground).await?;
        ensure!(answer.is_right(), "a status");
        wait::await_condition(lamps.clone(), "desk", wait::conditions::is_deleted(&uid)).await?;
        lamps
            .delete_collection(&DeleteParams::default(), &ListParams::default().labels("walk=yes"))
            .await?;
        ensure!(lamps.list(&ListParams::default()).await?.items.is_empty(), "something is left");
        namespaces.delete(namespace, &DeleteParams::default()).await?;
        Ok(())
    })
    .await;
}

async fn discovery(client: &Client) -> Result<()> {
    ensure!(client.apiserver_version().await?.major == "1", "the version");
    let kind = GroupVersionKind::gvk("walk.example.com", "v1", "Lamp");
    for found in [
        Discovery::new(client.clone()).run().await?,
        Discovery::new(client.clone()).run_aggregated().await?,
    ] {
        let (resource, capabilities) = found.resolve_gvk(&kind).context("no lamps")?;
        ensure!(resource.plural == "lamps", "{resource:?}");
        ensure!(capabilities.subresources.len() == 2, "{capabilities:?}");
        ensure!(found.has_group("apps"), "no apps");
    }
    let resource = ApiResource::erase::<Lamp>(&());
    ensure!(resource.api_version == "walk.example.com/v1", "{resource:?}");
    Ok(())
}

async fn watch(lamps: &Api<Lamp>) -> Result<()> {
    let version = lamps.list(&ListParams::default()).await?.metadata.resource_version;
    let version = version.context("no version")?;
    let mut events = pin!(lamps.watch(&WatchParams::default().timeout(20), &version).await?);
    lamps.create(&PostParams::default(), &lamp("new", "red")).await?;
    lamps.delete("new", &DeleteParams::default()).await?;
    let added = events.try_next().await?;
    ensure!(matches!(&added, Some(WatchEvent::Added(it)) if it.name_any() == "new"), "{added:?}");
    let deleted = events.try_next().await?;
    ensure!(matches!(&deleted, Some(WatchEvent::Deleted(_))), "{deleted:?}");
    Ok(())
}

/// Lists and pages, streams, and metadata; and a store that is kept by one of them.
async fn watchers(client: &Client, namespace: &str, lamps: &Api<Lamp>) -> Result<()> {
    let modes = [
        watcher::Config::default().page_size(1),
        watcher::Config::default().streaming_lists(),
        watcher::Config::default().any_semantic(),
    ];
    for mode in modes {
        let mut events = pin!(watcher(lamps.clone(), mode.clone()));
        let mut names = Vec::new();
        loop {
            match events.try_next().await?.context("it ended")? {
                watcher::Event::Init => {}
                watcher::Event::InitApply(it) => names.push(it.name_any()),
                watcher::Event::InitDone => break,
                other => bail!("{other:?}"),
            }
        }
        names.sort();
        ensure!(names == ["desk", "hall"], "{names:?}");
        lamps.create(&PostParams::default(), &lamp("late", "red")).await?;
        let applied = events.try_next().await?;
        ensure!(matches!(applied, Some(watcher::Event::Apply(_))), "{applied:?}");
        lamps.delete("late", &DeleteParams::default()).await?;
        let gone = events.try_next().await?;
        ensure!(matches!(gone, Some(watcher::Event::Delete(_))), "{gone:?}");
    }
    let partial: Api<PartialObjectMeta<Lamp>> = Api::namespaced(client.clone(), namespace);
    let mut partial = pin!(watcher(partial, watcher::Config::default()).applied_objects());
    ensure!(
        partial.try_next().await?.is_some_and(|it| it.labels().contains_key("walk")),
        "metadata"
    );
    let (store, writer) = reflector::store();
    let mut stream = pin!(
        reflector(writer, watcher(lamps.clone(), watcher::Config::default())).default_backoff()
    );
    while store.state().len() < 2 {
        stream.try_next().await?;
    }
    Ok(())
}

async fn leases(client: &Client, namespace: &str) -> Result<()> {
    let leases: Api<Lease> = Api::namespaced(client.clone(), namespace);
    let lease = json!({"metadata": {"name": "walk"}, "spec": {"holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.123456Z"}});
    let mut lease = leases.create(&PostParams::default(), &serde_json::from_value(lease)?).await?;
    let stale = lease.clone();
    lease.spec.get_or_insert_default().holder_identity = Some("you".to_owned());
    leases.replace("walk", &PostParams::default(), &lease).await?;
    let refused = leases.replace("walk", &PostParams::default(), &stale).await;
    ensure!(refused.is_err_and(|error| code(&error) == 409), "two leaders");
    Ok(())
}

/// A controller that gives lamps a finalizer and a phase.
async fn controller(client: &Client, namespace: &str) -> Result<()> {
    let lamps: Api<Lamp> = Api::namespaced(client.clone(), namespace);
    let reconciled = lamps.clone();
    let reconcile = move |lamp: Arc<Lamp>, _: Arc<()>| {
        let api = reconciled.clone();
        async move {
            let inner = api.clone();
            finalizer(&api, "walk.example.com/held", lamp, async |event| {
                if let finalizer::Event::Apply(lamp) = event {
                    let status = Patch::Merge(json!({"status": {"phase": "reconciled"}}));
                    inner.patch_status(&lamp.name_any(), &PatchParams::default(), &status).await?;
                }
                Ok::<_, kube::Error>(Action::await_change())
            })
            .await
        }
    };
    let run = Controller::new(
        lamps.clone(),
        watcher::Config::default().fields("metadata.name=controlled"),
    )
    .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(50)), Arc::new(()))
    .for_each(|_| async {});
    let task = tokio::spawn(run);
    let check = async {
        lamps.create(&PostParams::default(), &lamp("controlled", "red")).await?;
        let phase = |lamp: Option<&Lamp>| {
            lamp.and_then(|it| it.status.as_ref()?.phase.as_deref()) == Some("reconciled")
        };
        wait::await_condition(lamps.clone(), "controlled", phase).await?;
        let uid = lamps.get("controlled").await?.uid().context("no uid")?;
        let held = lamps.delete("controlled", &DeleteParams::default()).await?;
        ensure!(held.is_left(), "the object, which is held");
        wait::await_condition(lamps.clone(), "controlled", wait::conditions::is_deleted(&uid))
            .await?;
        Ok(())
    };
    let outcome = check.await;
    task.abort();
    outcome
}
