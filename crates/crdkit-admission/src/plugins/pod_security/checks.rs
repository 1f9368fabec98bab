//! The checks of the pod security standards: what a pod does that a level does not allow.
//!
//! A check is a function of a pod. Which function it is depends on the version of the standards; some checks of the level
//! `restricted` take the place of one of `baseline`.

use super::Level;
use crdkit_text::quote::quote;
use crdkit_value::Value;
use std::collections::BTreeSet;

/// A pod, or what pods are made from.
#[derive(Clone, Copy)]
pub(super) struct Pod<'v> {
    pub(super) metadata: Option<Value<'v>>,
    pub(super) spec: Value<'v>,
}

/// What a check found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Violation {
    pub(super) reason: String,
    pub(super) detail: String,
}

type PodCheckFn = fn(Pod<'_>) -> Option<Violation>;

struct Check {
    id: &'static str,
    level: Level,
    /// What is judged from which minor version on, the oldest first.
    versions: &'static [(u32, PodCheckFn)],
    /// The check of `baseline` that this one includes.
    replaces: Option<&'static str>,
}

/// The newest version that changes a check.
const NEWEST: u32 = 37;

/// In the order in which violations are told: by level, then by name.
const CHECKS: &[Check] = &[
    baseline("appArmorProfile", &[(0, app_armor)]),
    baseline("capabilities_baseline", &[(0, capabilities)]),
    baseline("hostNamespaces", &[(0, host_namespaces)]),
    baseline("hostPathVolumes", &[(0, host_paths)]),
    baseline("hostPorts", &[(0, host_ports)]),
    baseline("hostProbesAndHostLifecycle", &[(34, probe_hosts)]),
    baseline("privileged", &[(0, privileged)]),
    baseline("procMount", &[(0, proc_mount), (35, |pod| pod.unless_own_users(proc_mount))]),
    baseline("seLinuxOptions", &[(0, |pod| selinux(pod, 3)), (31, |pod| selinux(pod, 4))]),
    baseline("seccompProfile_baseline", &[(0, seccomp_annotations), (19, seccomp)]),
    baseline(
        "sysctls",
        &[
            (0, |pod| sysctls(pod, 5)),
            (27, |pod| sysctls(pod, 6)),
            (29, |pod| sysctls(pod, 10)),
            (32, |pod| sysctls(pod, 12)),
            (37, |pod| sysctls(pod, 14)),
        ],
    ),
    baseline("windowsHostProcess", &[(0, host_process)]),
    restricted(
        "allowPrivilegeEscalation",
        &[(8, escalation), (25, |pod| pod.unless_windows(escalation))],
        None,
    ),
    restricted(
        "capabilities_restricted",
        &[(22, all_capabilities), (25, |pod| pod.unless_windows(all_capabilities))],
        Some("capabilities_baseline"),
    ),
    restricted("procMount_restricted", &[(35, proc_mount)], Some("procMount")),
    restricted("restrictedVolumes", &[(0, volumes)], Some("hostPathVolumes")),
    restricted("runAsNonRoot", &[(0, non_root), (35, |pod| pod.unless_own_users(non_root))], None),
    restricted("runAsUser", &[(23, root_user), (35, |pod| pod.unless_own_users(root_user))], None),
    restricted(
        "seccompProfile_restricted",
        &[(19, seccomp_required), (25, |pod| pod.unless_windows(seccomp_required))],
        Some("seccompProfile_baseline"),
    ),
];

const fn baseline(id: &'static str, versions: &'static [(u32, PodCheckFn)]) -> Check {
    Check { id, level: Level::Baseline, versions, replaces: None }
}

const fn restricted(
    id: &'static str,
    versions: &'static [(u32, PodCheckFn)],
    replaces: Option<&'static str>,
) -> Check {
    Check { id, level: Level::Restricted, versions, replaces }
}

impl Check {
    fn at(&self, minor: u32) -> Option<PodCheckFn> {
        self.versions.iter().rev().find(|(since, _)| *since <= minor).map(|(_, judge)| *judge)
    }
}

/// What a pod does that `level` of the minor version `version` does not allow; the newest if none is given.
pub(super) fn violations(pod: Pod<'_>, level: Level, version: Option<u32>) -> Vec<Violation> {
    let minor = version.unwrap_or(NEWEST).min(NEWEST);
    let applies = |check: &Check| check.level <= level && check.at(minor).is_some();
    let replaced =
        |id: &str| CHECKS.iter().any(|check| check.replaces == Some(id) && applies(check));
    let active = CHECKS.iter().filter(|check| applies(check) && !replaced(check.id));
    active.filter_map(|check| check.at(minor)?(pod)).collect()
}

impl<'v> Pod<'v> {
    /// All containers, those that start first coming first.
    fn containers(self) -> impl Iterator<Item = Container<'v>> {
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        let items = lists.into_iter().filter_map(move |key| self.spec.get(key));
        items.flat_map(Value::items).map(Container)
    }

    /// A setting of the security context of the whole pod.
    fn setting(self, key: &str) -> Option<Value<'v>> {
        member(self.spec.get("securityContext")?, key)
    }

    fn annotations(self) -> impl Iterator<Item = (&'v str, &'v str)> {
        let annotations = self.metadata.and_then(|metadata| metadata.get("annotations"));
        let members = annotations.into_iter().flat_map(Value::members);
        members.filter_map(|(key, value)| Some((key, value.as_str()?)))
    }

    fn unless_windows(self, judge: PodCheckFn) -> Option<Violation> {
        let os = self.spec.get("os").and_then(|os| os.get("name")?.as_str());
        if os == Some("windows") { None } else { judge(self) }
    }

    /// Pods whose users are not those of the host may do more.
    fn unless_own_users(self, judge: PodCheckFn) -> Option<Violation> {
        let shared = self.spec.get("hostUsers").and_then(Value::as_bool);
        if shared == Some(false) { None } else { judge(self) }
    }

    /// The names of containers of which something holds.
    fn named(self, holds: impl Fn(Container<'v>) -> bool) -> Vec<&'v str> {
        self.containers().filter(|it| holds(*it)).map(Container::name).collect()
    }
}

#[derive(Clone, Copy)]
struct Container<'v>(Value<'v>);

impl<'v> Container<'v> {
    fn name(self) -> &'v str {
        text(self.0, "name")
    }

    /// A setting of its security context.
    fn setting(self, key: &str) -> Option<Value<'v>> {
        member(self.0.get("securityContext")?, key)
    }
}

/// A member that is not `null`.
fn member<'v>(value: Value<'v>, key: &str) -> Option<Value<'v>> {
    value.get(key).filter(|value| !value.is_null())
}

fn text<'v>(value: Value<'v>, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(value: Option<Value<'_>>) -> bool {
    value.and_then(Value::as_bool) == Some(true)
}

/// Names in quotes.
fn quoted<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let quoted: Vec<String> =
        names.into_iter().map(|name| format!("\"{}\"", name.as_ref())).collect();
    quoted.join(", ")
}

/// One or several of something.
fn plural<'t>(one: &'t str, several: &'t str, count: usize) -> &'t str {
    if count == 1 { one } else { several }
}

/// `container "a"` or `containers "a", "b"`.
fn containers(names: &[&str]) -> String {
    format!("{} {}", plural("container", "containers", names.len()), quoted(names))
}

/// Who sets something: the pod, containers, both.
fn setters(by_pod: bool, names: &[&str]) -> Option<String> {
    let pod = by_pod.then(|| "pod".to_owned());
    let others = (!names.is_empty()).then(|| containers(names));
    let all: Vec<String> = pod.into_iter().chain(others).collect();
    (!all.is_empty()).then(|| all.join(" and "))
}

#[expect(clippy::unnecessary_wraps, reason = "what checks give back")]
fn violation(reason: &str, detail: String) -> Option<Violation> {
    Some(Violation { reason: reason.to_owned(), detail })
}

fn app_armor(pod: Pod<'_>) -> Option<Violation> {
    const ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";
    let profile = |setting: Option<Value<'_>>| {
        let profile = text(setting?, "type").to_owned();
        (!["RuntimeDefault", "Localhost"].contains(&&*profile)).then_some(profile)
    };
    let by_pod = profile(pod.setting("appArmorProfile"));
    let bad = pod.named(|it| profile(it.setting("appArmorProfile")).is_some());
    let by_containers = pod.containers().filter_map(|it| profile(it.setting("appArmorProfile")));
    let mut values: Vec<String> =
        by_pod.iter().cloned().chain(by_containers).collect::<BTreeSet<_>>().into_iter().collect();
    let allowed = |value: &str| {
        value.is_empty() || value == "runtime/default" || value.starts_with("localhost/")
    };
    let annotations = pod.annotations();
    let annotations =
        annotations.filter(|(key, value)| key.starts_with(ANNOTATION) && !allowed(value));
    let mut annotations: Vec<String> =
        annotations.map(|(key, value)| format!("{key}={}", quote(value))).collect();
    annotations.sort();
    let by_annotations = (!annotations.is_empty())
        .then(|| plural("annotation", "annotations", annotations.len()).to_owned());
    values.extend(annotations);
    let who: Vec<String> =
        setters(by_pod.is_some(), &bad).into_iter().chain(by_annotations).collect();
    if who.is_empty() {
        return None;
    }
    violation(
        plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values.len()),
        format!("{} must not set AppArmor profile type to {}", who.join(" and "), quoted(values)),
    )
}

fn added(container: Container<'_>) -> impl Iterator<Item = &str> {
    let capabilities = container.setting("capabilities").and_then(|it| it.get("add"));
    capabilities.into_iter().flat_map(Value::items).filter_map(Value::as_str)
}

/// Containers that add capabilities that are not `allowed`.
fn adding(pod: Pod<'_>, allowed: fn(&str) -> bool) -> Option<String> {
    let bad = pod.named(|it| added(it).any(|name| !allowed(name)));
    if bad.is_empty() {
        return None;
    }
    let names: BTreeSet<&str> =
        pod.containers().flat_map(added).filter(|name| !allowed(name)).collect();
    let (who, names) = (containers(&bad), quoted(names));
    Some(format!("{who} must not include {names} in securityContext.capabilities.add"))
}

fn capabilities(pod: Pod<'_>) -> Option<Violation> {
    const DEFAULT: [&str; 13] = [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ];
    violation("non-default capabilities", adding(pod, |name| DEFAULT.contains(&name))?)
}

fn all_capabilities(pod: Pod<'_>) -> Option<Violation> {
    let drops_all = |container: Container<'_>| {
        let dropped = container.setting("capabilities").and_then(|it| it.get("drop"));
        dropped.into_iter().flat_map(Value::items).any(|it| it.as_str() == Some("ALL"))
    };
    let keeping = pod.named(|it| !drops_all(it));
    let keeping = (!keeping.is_empty()).then(|| {
        format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", containers(&keeping))
    });
    let adding = adding(pod, |name| name == "NET_BIND_SERVICE");
    let details: Vec<String> = keeping.into_iter().chain(adding).collect();
    if details.is_empty() {
        return None;
    }
    violation("unrestricted capabilities", details.join("; "))
}

fn host_namespaces(pod: Pod<'_>) -> Option<Violation> {
    let shared = ["hostNetwork", "hostPID", "hostIPC"];
    let shared = shared.into_iter().filter(|key| is_true(pod.spec.get(key)));
    let shared: Vec<String> = shared.map(|key| format!("{key}=true")).collect();
    if shared.is_empty() { None } else { violation("host namespaces", shared.join(", ")) }
}

fn pod_volumes(pod: Pod<'_>) -> impl Iterator<Item = Value<'_>> {
    pod.spec.get("volumes").into_iter().flat_map(Value::items)
}

fn host_paths(pod: Pod<'_>) -> Option<Violation> {
    let bad = pod_volumes(pod).filter(|it| member(*it, "hostPath").is_some());
    let bad: Vec<&str> = bad.map(|volume| text(volume, "name")).collect();
    if bad.is_empty() {
        return None;
    }
    let detail = format!("{} {}", plural("volume", "volumes", bad.len()), quoted(bad));
    violation("hostPath volumes", detail)
}

fn host_ports(pod: Pod<'_>) -> Option<Violation> {
    let ports = |container: Container<'_>| -> Vec<String> {
        let ports = container.0.get("ports").into_iter().flat_map(Value::items);
        let ports = ports.filter_map(|port| port.get("hostPort")?.as_i64());
        ports.filter(|port| *port != 0).map(|port| port.to_string()).collect()
    };
    let bad = pod.named(|it| !ports(it).is_empty());
    if bad.is_empty() {
        return None;
    }
    let all: BTreeSet<String> = pod.containers().flat_map(ports).collect();
    let listed: Vec<&str> = all.iter().map(String::as_str).collect();
    let detail = format!(
        "{} {} {} {}",
        containers(&bad),
        plural("uses", "use", bad.len()),
        plural("hostPort", "hostPorts", all.len()),
        listed.join(", ")
    );
    violation("hostPort", detail)
}

fn probe_hosts(pod: Pod<'_>) -> Option<Violation> {
    fn hosts(container: Container<'_>) -> impl Iterator<Item = &str> {
        let probes = ["livenessProbe", "readinessProbe", "startupProbe"];
        let probes = probes.into_iter().filter_map(move |key| container.0.get(key));
        let lifecycle = container.0.get("lifecycle");
        let hooks = ["postStart", "preStop"];
        let hooks = hooks.into_iter().filter_map(move |key| lifecycle?.get(key));
        let actions = probes.chain(hooks).flat_map(|handler| {
            ["httpGet", "tcpSocket"].into_iter().filter_map(move |key| handler.get(key))
        });
        actions.map(|action| text(action, "host")).filter(|host| !host.is_empty())
    }
    let bad: BTreeSet<&str> = pod.named(|it| hosts(it).next().is_some()).into_iter().collect();
    if bad.is_empty() {
        return None;
    }
    let bad: Vec<&str> = bad.into_iter().collect();
    let all: BTreeSet<&str> = pod.containers().flat_map(hosts).collect();
    let detail = format!(
        "{} {} {} {}",
        containers(&bad),
        plural("uses", "use", bad.len()),
        plural("probe or lifecycle host", "probe or lifecycle hosts", all.len()),
        quoted(all)
    );
    violation("probe or lifecycle host", detail)
}

fn privileged(pod: Pod<'_>) -> Option<Violation> {
    let bad = pod.named(|it| is_true(it.setting("privileged")));
    if bad.is_empty() {
        return None;
    }
    let detail = format!("{} must not set securityContext.privileged=true", containers(&bad));
    violation("privileged", detail)
}

fn proc_mount(pod: Pod<'_>) -> Option<Violation> {
    fn mount(container: Container<'_>) -> Option<&str> {
        container.setting("procMount")?.as_str().filter(|kind| *kind != "Default")
    }
    let bad = pod.named(|it| mount(it).is_some());
    if bad.is_empty() {
        return None;
    }
    let kinds: BTreeSet<&str> = pod.containers().filter_map(mount).collect();
    let (who, kinds) = (containers(&bad), quoted(kinds));
    violation("procMount", format!("{who} must not set securityContext.procMount to {kinds}"))
}

/// The first `count` types are allowed.
fn selinux(pod: Pod<'_>, count: usize) -> Option<Violation> {
    const TYPES: [&str; 4] =
        ["container_t", "container_init_t", "container_kvm_t", "container_engine_t"];
    let bad_type = |options: Value<'_>| {
        let kind = text(options, "type").to_owned();
        let allowed = kind.is_empty() || TYPES.iter().take(count).any(|it| *it == kind);
        (!allowed).then_some(kind)
    };
    let is_bad = |options: Value<'_>| {
        bad_type(options).is_some()
            || !text(options, "user").is_empty()
            || !text(options, "role").is_empty()
    };
    let bad = |setting: Option<Value<'_>>| setting.is_some_and(is_bad);
    let names = pod.named(|it| bad(it.setting("seLinuxOptions")));
    let who = setters(bad(pod.setting("seLinuxOptions")), &names)?;
    let all = || {
        let of_containers = pod.containers().filter_map(|it| it.setting("seLinuxOptions"));
        pod.setting("seLinuxOptions").into_iter().chain(of_containers)
    };
    let types: BTreeSet<String> = all().filter_map(bad_type).collect();
    let types = (!types.is_empty())
        .then(|| format!("{} {}", plural("type", "types", types.len()), quoted(&types)));
    let given = |key: &str| {
        all().any(|it| !text(it, key).is_empty()).then(|| format!("{key} may not be set"))
    };
    let what: Vec<String> = [types, given("user"), given("role")].into_iter().flatten().collect();
    let what = what.join("; ");
    let detail = format!("{who} set forbidden securityContext.seLinuxOptions: {what}");
    violation("seLinuxOptions", detail)
}

fn seccomp_annotations(pod: Pod<'_>) -> Option<Violation> {
    const POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
    const CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
    let allowed = |value: &str| {
        matches!(value, "runtime/default" | "docker/default") || value.starts_with("localhost/")
    };
    let concerns = |key: &str| {
        let name = key.strip_prefix(CONTAINER);
        key == POD || name.is_some_and(|name| pod.containers().any(|it| it.name() == name))
    };
    let bad = pod.annotations().filter(|(key, value)| concerns(key) && !allowed(value));
    let bad: BTreeSet<String> = bad.map(|(key, value)| format!("{key}={}", quote(value))).collect();
    if bad.is_empty() {
        return None;
    }
    let word = plural("annotation", "annotations", bad.len());
    let bad: Vec<String> = bad.into_iter().collect();
    violation("seccompProfile", format!("forbidden {word} {}", bad.join(", ")))
}

/// The profile of a setting, if it is none that is allowed.
fn bad_seccomp(setting: Option<Value<'_>>) -> Option<&str> {
    let kind = text(setting?, "type");
    (!["RuntimeDefault", "Localhost"].contains(&kind)).then_some(kind)
}

fn seccomp(pod: Pod<'_>) -> Option<Violation> {
    let by_pod = bad_seccomp(pod.setting("seccompProfile"));
    let names = pod.named(|it| bad_seccomp(it.setting("seccompProfile")).is_some());
    let who = setters(by_pod.is_some(), &names)?;
    let of_containers = pod.containers().filter_map(|it| bad_seccomp(it.setting("seccompProfile")));
    let kinds: BTreeSet<&str> = by_pod.into_iter().chain(of_containers).collect();
    let kinds = quoted(kinds);
    let detail = format!("{who} must not set securityContext.seccompProfile.type to {kinds}");
    violation("seccompProfile", detail)
}

fn seccomp_required(pod: Pod<'_>) -> Option<Violation> {
    if let Some(violation) = seccomp(pod) {
        return Some(violation);
    }
    let by_pod = pod.setting("seccompProfile").is_some();
    let bad = pod.named(|it| !by_pod && it.setting("seccompProfile").is_none());
    if bad.is_empty() {
        return None;
    }
    let detail = format!(
        "pod or {} must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"",
        containers(&bad)
    );
    violation("seccompProfile", detail)
}

/// The first `count` names are allowed.
fn sysctls(pod: Pod<'_>, count: usize) -> Option<Violation> {
    const SAFE: [&str; 14] = [
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_wmem",
        "net.ipv4.tcp_slow_start_after_idle",
        "net.ipv4.tcp_notsent_lowat",
    ];
    let set = pod.setting("sysctls").into_iter().flat_map(Value::items);
    let names = set.map(|sysctl| text(sysctl, "name"));
    let bad: Vec<&str> =
        names.filter(|it| !SAFE.iter().take(count).any(|safe| safe == it)).collect();
    if bad.is_empty() { None } else { violation("forbidden sysctls", bad.join(", ")) }
}

fn host_process(pod: Pod<'_>) -> Option<Violation> {
    let is_set = |options: Option<Value<'_>>| is_true(options.and_then(|it| it.get("hostProcess")));
    let names = pod.named(|it| is_set(it.setting("windowsOptions")));
    let who = setters(is_set(pod.setting("windowsOptions")), &names)?;
    violation(
        "hostProcess",
        format!("{who} must not set securityContext.windowsOptions.hostProcess=true"),
    )
}

fn escalation(pod: Pod<'_>) -> Option<Violation> {
    let allows = |it: Container<'_>| {
        it.setting("allowPrivilegeEscalation").and_then(Value::as_bool) != Some(false)
    };
    let bad = pod.named(allows);
    if bad.is_empty() {
        return None;
    }
    let who = containers(&bad);
    let detail = format!("{who} must set securityContext.allowPrivilegeEscalation=false");
    violation("allowPrivilegeEscalation != false", detail)
}

fn volumes(pod: Pod<'_>) -> Option<Violation> {
    const ALLOWED: [&str; 9] = [
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    ];
    const OTHERS: [&str; 21] = [
        "hostPath",
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "gitRepo",
        "nfs",
        "iscsi",
        "glusterfs",
        "rbd",
        "flexVolume",
        "cinder",
        "cephfs",
        "flocker",
        "fc",
        "azureFile",
        "vsphereVolume",
        "quobyte",
        "azureDisk",
        "photonPersistentDisk",
        "portworxVolume",
        "scaleIO",
        "storageos",
    ];
    let has = |volume: Value<'_>, key: &&str| member(volume, key).is_some();
    let bad: Vec<Value<'_>> =
        pod_volumes(pod).filter(|it| !ALLOWED.iter().any(|key| has(*it, key))).collect();
    if bad.is_empty() {
        return None;
    }
    let kind =
        |volume: &Value<'_>| OTHERS.into_iter().find(|key| has(*volume, key)).unwrap_or("unknown");
    let kinds: BTreeSet<&str> = bad.iter().map(kind).collect();
    let detail = format!(
        "{} {} {} {} {}",
        plural("volume", "volumes", bad.len()),
        quoted(bad.iter().map(|volume| text(*volume, "name"))),
        plural("uses", "use", bad.len()),
        plural("restricted volume type", "restricted volume types", kinds.len()),
        quoted(&kinds)
    );
    violation("restricted volume types", detail)
}

fn non_root(pod: Pod<'_>) -> Option<Violation> {
    const REASON: &str = "runAsNonRoot != true";
    let of = |setting: Option<Value<'_>>| setting.and_then(Value::as_bool);
    let by_pod = of(pod.setting("runAsNonRoot"));
    let explicit = pod.named(|it| of(it.setting("runAsNonRoot")) == Some(false));
    if let Some(who) = setters(by_pod == Some(false), &explicit) {
        return violation(REASON, format!("{who} must not set securityContext.runAsNonRoot=false"));
    }
    let implicit = pod.named(|it| by_pod != Some(true) && of(it.setting("runAsNonRoot")).is_none());
    if implicit.is_empty() {
        return None;
    }
    let who = containers(&implicit);
    violation(REASON, format!("pod or {who} must set securityContext.runAsNonRoot=true"))
}

fn root_user(pod: Pod<'_>) -> Option<Violation> {
    let is_root = |setting: Option<Value<'_>>| setting.and_then(Value::as_i64) == Some(0);
    let names = pod.named(|it| is_root(it.setting("runAsUser")));
    let who = setters(is_root(pod.setting("runAsUser")), &names)?;
    violation("runAsUser=0", format!("{who} must not set runAsUser=0"))
}
