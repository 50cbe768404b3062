//! What a container asks for and may do.

use super::tree::{Content, Tree};
use crate::lint::place::Mapped;
use crate::lint::source::Container;

/// Words in the name of a resource that stands for an RDMA device.
const RDMA: [&str; 9] = ["rdma", "/efa", "infiniband", "hca", "roce", "mlnx", "hostdev", "sriov", "/ib"];

/// So many entries of a list are looked at: an alias may give the same one to any number of containers.
const MOST_ENTRIES: usize = 200;

/// Reads a container of Kubernetes or a service of compose; `pod` is the pod's specification.
pub(super) fn container(
    source: &Mapped<'_>,
    tree: &Tree,
    node: usize,
    pod: Option<usize>,
    name: Option<usize>,
) -> Container {
    let view = View { tree };
    let name = name.or_else(|| tree.get(node, "name"));
    let mut container = Container {
        at: source.position(tree.nodes[name.unwrap_or(node)].start),
        name: name.and_then(|name| tree.text(name)).unwrap_or_default().to_string(),
        ..Container::default()
    };
    view.resources(node, &mut container);
    view.security(node, &mut container);
    view.mounts(node, &mut container);
    view.compose(node, &mut container);
    if let Some(pod) = pod {
        container.host_network |= view.is_true(pod, "hostNetwork");
        container.shm |= view.is_true(pod, "hostIPC");
    }
    container
}

struct View<'t> {
    tree: &'t Tree,
}

impl<'t> View<'t> {
    fn path(&self, node: usize, keys: &[&str]) -> Option<usize> {
        keys.iter().try_fold(node, |node, key| self.tree.get(node, key))
    }

    fn text(&self, node: usize, keys: &[&str]) -> Option<&'t str> {
        self.tree.text(self.path(node, keys)?)
    }

    fn is_true(&self, node: usize, key: &str) -> bool {
        self.text(node, &[key]).is_some_and(|text| matches!(text, "true" | "True" | "TRUE" | "yes" | "on"))
    }

    /// The scalars of a list, or the one that stands instead.
    fn texts(&self, node: Option<usize>) -> Vec<&'t str> {
        let Some(node) = node else { return Vec::new() };
        match &self.tree.nodes[node].content {
            Content::Scalar { text, .. } => vec![text],
            _ => self.tree.items(node).iter().take(MOST_ENTRIES).filter_map(|item| self.tree.text(*item)).collect(),
        }
    }

    fn resources(&self, node: usize, container: &mut Container) {
        for kind in ["requests", "limits"] {
            let Some(list) = self.path(node, &["resources", kind]) else { continue };
            for (key, value) in self.tree.pairs(list).iter().take(MOST_ENTRIES) {
                let (Some(key), Some(value)) = (self.tree.text(*key), self.tree.text(*value)) else { continue };
                let lower = key.to_ascii_lowercase();
                if value == "0" {
                    continue;
                }
                if lower.ends_with("/gpu") || lower.contains("/gpu.") || lower.contains("/mig-") {
                    container.gpus = value.parse().ok().or(container.gpus);
                } else if RDMA.iter().any(|word| lower.contains(word)) && lower.contains('/') {
                    container.asks_rdma = Some(format!("{key}: {value}"));
                    container.infiniband = true;
                }
            }
        }
    }

    fn security(&self, node: usize, container: &mut Container) {
        let context = self.tree.get(node, "securityContext");
        let privileged =
            context.is_some_and(|context| self.is_true(context, "privileged")) || self.is_true(node, "privileged");
        let added = self.path(node, &["securityContext", "capabilities", "add"]);
        let capabilities = [self.texts(added), self.texts(self.tree.get(node, "cap_add"))].concat();
        let locks = |name: &&str| matches!(name.trim_start_matches("CAP_"), "IPC_LOCK" | "ALL");
        container.ipc_lock |= privileged || capabilities.iter().any(locks);
        container.infiniband |= privileged;
    }

    fn mounts(&self, node: usize, container: &mut Container) {
        let Some(mounts) = self.tree.get(node, "volumeMounts") else { return };
        for mount in self.tree.items(mounts).iter().take(MOST_ENTRIES) {
            let path = self.text(*mount, &["mountPath"]).unwrap_or_default();
            container.shm |= path == "/dev/shm" || path == "/dev/shm/";
            container.infiniband |= path.starts_with("/dev/infiniband") || path == "/dev";
        }
    }

    fn compose(&self, node: usize, container: &mut Container) {
        for device in self.texts(self.tree.get(node, "devices")) {
            if device.starts_with("/dev/infiniband") {
                container.asks_rdma = Some(format!("devices: {device}"));
                container.infiniband = true;
            }
        }
        for volume in self.texts(self.tree.get(node, "volumes")) {
            container.shm |= volume.contains(":/dev/shm");
            container.infiniband |= volume.contains(":/dev/infiniband");
        }
        container.shm |= self.tree.get(node, "shm_size").is_some() || self.text(node, &["ipc"]) == Some("host");
        container.host_network |= self.text(node, &["network_mode"]) == Some("host");
        let memlock = self.path(node, &["ulimits", "memlock"]);
        let hard = memlock.and_then(|memlock| self.tree.text(memlock).or_else(|| self.text(memlock, &["hard"])));
        container.ipc_lock |= hard == Some("-1");
        let devices = self.path(node, &["deploy", "resources", "reservations", "devices"]);
        for device in devices.map_or(&[][..], |devices| self.tree.items(devices)).iter().take(MOST_ENTRIES) {
            container.gpus = self.text(*device, &["count"]).and_then(|count| count.parse().ok()).or(container.gpus);
        }
    }
}
