//! Containers that want RDMA and lack what it needs.

use super::Case;
use crate::knowledge::severity::Severity;
use crate::lint::{Container, Kind};
use crate::render::foreign;

impl Case<'_, '_> {
    pub(super) fn container(&mut self, container: &Container) {
        let length = container.name.chars().count();
        let who = if container.name.is_empty() {
            "The container".to_string()
        } else {
            format!("Container {}", foreign(&container.name))
        };
        let Some(why) = &container.asks_rdma else {
            // Settings of the verbs network alone may be there for another platform.
            let seen = self.facts.environment(container.scope);
            // A launcher without a GPU hands its settings on to others.
            if seen.get("NCCL_IB_HCA").is_some() && !container.infiniband && container.gpus.is_some() {
                let message = format!("{who} sets NCCL_IB_HCA, and nothing here gives it an RDMA device.");
                let advice = "Ask for the devices (a resource of the device plugin, or `--device=/dev/infiniband`), with IPC_LOCK.";
                self.add("container-rdma", container.at, length, message, advice.to_string()).severity = Severity::Note;
            }
            return;
        };
        let mut lacks = Vec::new();
        if !container.ipc_lock {
            lacks.push((
                "locked memory (IPC_LOCK, or an unlimited memlock)",
                "add `IPC_LOCK` to the capabilities, or `--ulimit memlock=-1`",
            ));
        }
        // Since 2.24 and with a driver from 2024 on NCCL's host buffers lie elsewhere: that alone is worth a note only.
        let can_lock = lacks.is_empty();
        if !container.shm && container.gpus.is_none_or(|gpus| gpus > 1) {
            lacks.push((
                "shared memory beyond the 64 MB of /dev/shm",
                "mount an `emptyDir` with `medium: Memory` at /dev/shm, or `--shm-size`/`--ipc=host`",
            ));
        }
        if !container.infiniband {
            lacks.push((
                "the devices under /dev/infiniband",
                "`--device=/dev/infiniband`, or a resource of the device plugin",
            ));
        }
        if lacks.is_empty() {
            return;
        }
        // Many container runtimes set no limit of locked memory; a chart's values are completed elsewhere.
        let is_certain = lacks.len() > 1 && !(can_lock && container.infiniband) && self.source.kind != Kind::Yaml;
        let missing: Vec<&str> = lacks.iter().map(|(what, _)| *what).collect();
        let advice: Vec<&str> = lacks.iter().map(|(_, advice)| *advice).collect();
        // `rdma/hca: 1`, `--device /dev/infiniband`
        let why = match (why.split_once(": "), why.strip_prefix("--device ")) {
            (_, Some(device)) => format!("--device {}", foreign(device)),
            (Some((key, value)), _) => format!("{}: {}", foreign(key), foreign(value)),
            _ => foreign(why),
        };
        let message = format!("{who} asks for RDMA ({why}) and lacks {}.", missing.join(" and "));
        let advice = format!("In the container: {}.", advice.join("; "));
        let finding = self.add("container-rdma", container.at, length, message, advice);
        if !is_certain {
            finding.severity = Severity::Note;
        }
    }
}
