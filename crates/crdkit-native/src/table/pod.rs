//! Cells of pods: what their containers are doing.

use super::NativeRowCondition;
use super::text::{age, at, find, items};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::Value;

/// What a pod is doing, put together from its containers.
pub(super) struct PodState {
    pub(super) ready: String,
    pub(super) status: String,
    pub(super) restarts: String,
}

/// That a pod has come to its end.
pub(super) fn condition(plural: &str, object: Value<'_>) -> Option<NativeRowCondition> {
    if plural != "pods" {
        return None;
    }
    let (reason, message) = match at(object, "status.phase") {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(NativeRowCondition { type_name: "Completed", reason, message })
}

fn exit_reason(terminated: Value<'_>) -> String {
    let number = |key| terminated.get(key).and_then(Value::as_i64).unwrap_or_default();
    match (at(terminated, "reason"), number("signal")) {
        ("", 0) => format!("ExitCode:{}", number("exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn number(value: Value<'_>, path: &str) -> i64 {
    find(value, path).and_then(Value::as_i64).unwrap_or_default()
}

fn flag(value: Value<'_>, path: &str) -> bool {
    find(value, path).and_then(Value::as_bool).unwrap_or_default()
}

fn has_condition(pod: Value<'_>, name: &str) -> bool {
    items(pod, "status.conditions")
        .any(|condition| at(condition, "type") == name && at(condition, "status") == "True")
}

/// Restarts so far, and when the last one was.
#[derive(Default)]
struct Restarts {
    count: i64,
    last: String,
}

impl Restarts {
    fn add(&mut self, container: Value<'_>) {
        self.count += number(container, "restartCount");
        let finished = at(container, "lastState.terminated.finishedAt");
        // In UTC and of one form, so that texts compare as times do.
        if finished > self.last.as_str() {
            finished.clone_into(&mut self.last);
        }
    }
}

impl PodState {
    pub(super) fn of(pod: Value<'_>, now: Timestamp) -> Self {
        let phase = at(pod, "status.phase");
        let mut reason = match at(pod, "status.reason") {
            "" => phase.to_owned(),
            reason => reason.to_owned(),
        };
        let gated = items(pod, "status.conditions").any(|condition| {
            at(condition, "type") == "PodScheduled" && at(condition, "reason") == "SchedulingGated"
        });
        if gated {
            "SchedulingGated".clone_into(&mut reason);
        }
        let initial = items(pod, "spec.initContainers");
        let is_sidecar = |name: &str| {
            initial.clone().any(|container| {
                at(container, "name") == name && at(container, "restartPolicy") == "Always"
            })
        };
        let sidecars = initial.clone().filter(|it| at(*it, "restartPolicy") == "Always").count();
        let total = items(pod, "spec.containers").count() + sidecars;
        let (mut ready, mut is_initializing) = (0, false);
        let (mut restarts, mut sidecar_restarts) = (Restarts::default(), Restarts::default());
        for (index, container) in items(pod, "status.initContainerStatuses").enumerate() {
            restarts.add(container);
            let is_sidecar = is_sidecar(at(container, "name"));
            if is_sidecar {
                sidecar_restarts.add(container);
            }
            let terminated = find(container, "state.terminated");
            let waiting = at(container, "state.waiting.reason");
            if terminated.is_some_and(|terminated| number(terminated, "exitCode") == 0) {
                continue;
            }
            if is_sidecar && flag(container, "started") {
                ready += usize::from(flag(container, "ready"));
                continue;
            }
            reason = match terminated {
                Some(terminated) => format!("Init:{}", exit_reason(terminated)),
                None if !waiting.is_empty() && waiting != "PodInitializing" => {
                    format!("Init:{waiting}")
                }
                None => format!("Init:{index}/{}", initial.clone().count()),
            };
            is_initializing = true;
            break;
        }
        if !is_initializing || has_condition(pod, "Initialized") {
            restarts = sidecar_restarts;
            let mut is_running = false;
            let containers: Vec<Value<'_>> = items(pod, "status.containerStatuses").collect();
            for container in containers.into_iter().rev() {
                restarts.add(container);
                let waiting = at(container, "state.waiting.reason");
                if !waiting.is_empty() {
                    waiting.clone_into(&mut reason);
                } else if let Some(terminated) = find(container, "state.terminated") {
                    reason = exit_reason(terminated);
                } else if flag(container, "ready") && find(container, "state.running").is_some() {
                    is_running = true;
                    ready += 1;
                }
            }
            if reason == "Completed" && is_running {
                let state = if has_condition(pod, "Ready") { "Running" } else { "NotReady" };
                state.clone_into(&mut reason);
            }
        }
        if find(pod, "metadata.deletionTimestamp").is_some() {
            if at(pod, "status.reason") == "NodeLost" {
                "Unknown".clone_into(&mut reason);
            } else if !matches!(phase, "Succeeded" | "Failed") {
                "Terminating".clone_into(&mut reason);
            }
        }
        let mut restarted = restarts.count.to_string();
        if restarts.count != 0 && !restarts.last.is_empty() {
            restarted = format!("{restarted} ({} ago)", age(Some(&restarts.last), now));
        }
        Self { ready: format!("{ready}/{total}"), status: reason, restarts: restarted }
    }
}
