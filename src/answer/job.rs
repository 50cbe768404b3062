//! What a log says of its job, as `diagnose --summary` prints it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{cell, code};
use crate::diagnose::Job;
use crate::diagnose::text::{list, names, network};
use crate::render::foreign;

/// The job, as its log shows it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Summary {
    nccl_lines: usize,
    nodes: u32,
    hosts: usize,
    ranks: u32,
    ranks_per_node: u32,
    versions: Vec<String>,
    networks: Vec<String>,
    /// Networks and tuners that plugins brought.
    plugins: Vec<String>,
    /// Device lists, each with the number of hosts that have it.
    nics: BTreeMap<String, usize>,
    bootstrap: BTreeMap<String, usize>,
    /// Connections by transport.
    channels: BTreeMap<&'static str, usize>,
    /// Connections through the NIC of another GPU.
    pxn_channels: usize,
    collective_channels: u32,
    nvls_channels: Option<u32>,
    nvls_multicast: Option<bool>,
    /// `AllReduce Ring/Simple` -> how often it was chosen.
    algorithms: BTreeMap<String, usize>,
    /// Path types inside a node and to the network, of the rings and trees that were found.
    paths: Vec<String>,
    /// What the NICs of a node carry in one direction, GB/s: no ring across nodes has a higher bus bandwidth. That of the slowest host.
    ceiling: Option<Ceiling>,
    init_completed: usize,
    across_nodes: bool,
}

const CEILING: &str = "Ceiling across nodes";

/// The sum of a node's NICs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ceiling {
    gigabytes_per_second: f64,
    nics: usize,
    /// The sum of their rates.
    gigabits_per_second: u64,
}

impl Summary {
    /// What is known of a job.
    pub fn of(job: &Job) -> Self {
        let tuning = &job.tuning;
        let mut summary = Summary {
            nccl_lines: job.nccl_lines,
            nodes: job.nodes,
            hosts: job.hosts.keys().filter(|name| !name.is_empty()).count(),
            ranks: job.ranks,
            ranks_per_node: tuning.local_ranks,
            plugins: tuning.plugins.iter().cloned().collect(),
            pxn_channels: tuning.pxn,
            collective_channels: tuning.channels,
            nvls_channels: tuning.nvls_channels,
            nvls_multicast: tuning.multicast,
            algorithms: tuning.algorithms.clone(),
            paths: tuning.paths.iter().cloned().collect(),
            ceiling: ceiling(job),
            init_completed: job.completed.len(),
            across_nodes: job.is_multi_node(),
            ..Summary::default()
        };
        for facts in job.hosts.values() {
            summary.versions.extend(facts.versions.keys().cloned());
            summary.networks.extend(facts.networks.keys().cloned());
            if !facts.hcas.is_empty() {
                *summary.nics.entry(facts.hcas.join(" ")).or_default() += 1;
            }
            if let Some((interface, ..)) = &facts.bootstrap {
                *summary.bootstrap.entry(interface.clone()).or_default() += 1;
            }
            for (transport, seen) in &facts.transports {
                *summary.channels.entry(transport.name()).or_default() += seen.count;
            }
        }
        for list in [&mut summary.versions, &mut summary.networks] {
            list.sort();
            list.dedup();
        }
        summary
    }

    /// The table.
    pub fn document(&self) -> String {
        let counted = |map: &BTreeMap<String, usize>| {
            let entries = map
                .iter()
                .map(|(name, hosts)| format!("{} ({hosts} host{})", code(name), if *hosts == 1 { "" } else { "s" }));
            list(&entries.collect::<Vec<_>>())
        };
        let known = |number: u32| if number == 0 { String::new() } else { number.to_string() };
        let channels: Vec<String> = self.channels.iter().map(|(name, count)| format!("{name}: {count}")).collect();
        let algorithms = self.algorithms.iter().map(|(name, count)| {
            let (collective, way) = name.rsplit_once(' ').unwrap_or(("", name));
            format!("{} {}: {count}", foreign(collective), foreign(way)).trim_start().to_string()
        });
        // `network Libfabric`: the kind is ours.
        let plugins = self.plugins.iter().map(|plugin| match plugin.split_once(' ') {
            Some((kind @ ("network" | "tuner"), name)) => format!("{kind} {}", network(name)),
            _ => foreign(plugin),
        });
        let plugins: Vec<String> = plugins.collect();
        let rows = [
            ("Nodes", if self.nodes > 0 { self.nodes.to_string() } else { format!("{} in the log", self.hosts) }),
            ("Ranks", known(self.ranks)),
            ("Ranks per node", known(self.ranks_per_node)),
            ("Init completed by", self.init_completed.to_string()),
            ("NCCL", names(&self.versions)),
            ("Network", self.network_names()),
            ("Plugins", list(&plugins)),
            ("NICs", counted(&self.nics)),
            ("Bootstrap interface", counted(&self.bootstrap)),
            ("Connections", channels.join(", ")),
            ("PXN connections", if self.channels.is_empty() { String::new() } else { self.pxn_channels.to_string() }),
            ("Collective channels", known(self.collective_channels)),
            ("NVLS", self.nvls()),
            ("Path types (node/network)", names(&self.paths)),
            ("Algorithms", algorithms.collect::<Vec<_>>().join(", ")),
            (CEILING, self.ceiling.as_ref().map_or(String::new(), Ceiling::text)),
        ];
        let mut out = "| The job | |\n|---|---|\n".to_string();
        let mut missing = Vec::new();
        for (name, value) in rows {
            if value.is_empty() {
                // A job on one node has no ceiling across nodes.
                missing.extend((name != CEILING || self.across_nodes).then_some(name));
            } else {
                out.push_str(&format!("| {name} | {} |\n", cell(&value)));
            }
        }
        if !missing.is_empty() {
            let missing = missing.join(", ");
            out.push_str(&format!(
                "\nNot in the log: {missing}. More of it is printed with `NCCL_DEBUG=INFO` and \
                 `NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,ENV,NET,GRAPH,TUNING`.\n"
            ));
        }
        out
    }

    fn network_names(&self) -> String {
        list(&self.networks.iter().map(|name| network(name)).collect::<Vec<_>>())
    }

    fn nvls(&self) -> String {
        let channels = self.nvls_channels.map(|channels| match channels {
            0 => "off (no channels)".to_string(),
            channels => format!("{channels} channels"),
        });
        let multicast =
            self.nvls_multicast.map(|there| if there { "multicast there" } else { "no multicast" }.to_string());
        channels.into_iter().chain(multicast).collect::<Vec<_>>().join(", ")
    }

    /// A line that says what the job uses.
    pub fn line(&self) -> String {
        let nets: Vec<&str> = self.channels.keys().copied().collect();
        let network =
            if self.networks.is_empty() { String::new() } else { format!(", network {}", self.network_names()) };
        let channels = if nets.is_empty() { String::new() } else { format!(", channels by {}", nets.join(", ")) };
        let version = self.versions.first().map_or(String::new(), |version| format!("NCCL {}, ", foreign(version)));
        let plural = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let ranks = if self.ranks > 0 { plural(self.ranks as usize, "rank") } else { "ranks unknown".to_string() };
        let nodes = if self.nodes > 0 {
            plural(self.nodes as usize, "node")
        } else {
            format!("{} in the log", plural(self.hosts, "host"))
        };
        format!("{version}{ranks}, {nodes}{network}{channels}")
    }
}

impl Ceiling {
    fn text(&self) -> String {
        format!(
            "{} GB/s bus bandwidth of a ring: {} NICs with {} Gb/s a direction; what is reached of it: `rdmanav show bandwidth-reference#expected-multi-node`",
            self.gigabytes_per_second, self.nics, self.gigabits_per_second
        )
    }
}

/// The least sum of the NICs of a host. A job on one node, or one that does not use them, has none.
fn ceiling(job: &Job) -> Option<Ceiling> {
    if !job.is_multi_node() || job.hosts.values().any(|facts| facts.networks.contains_key("Socket")) {
        return None;
    }
    let rates = job.hosts.values().filter_map(|facts| facts.nics.rates(&facts.hcas));
    let rates = rates.min_by_key(|rates| rates.iter().sum::<u64>())?;
    let megabits: u64 = rates.iter().sum();
    Some(Ceiling {
        gigabytes_per_second: megabits as f64 / 8_000.0,
        nics: rates.len(),
        gigabits_per_second: megabits / 1_000,
    })
}
