//! What a log says of the job, gathered line by line. All collections are bounded.

mod failures;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use super::evidence::{Evidence, Place, Seen};

use super::evidence::{MOST_KEPT, MOST_RANKS};
use super::line::{Level, Line};
use super::setup::{Nics, Tuning};
use super::text::{after, setting};

/// Of a line so many letters are quoted.
const LONGEST_EVIDENCE: usize = 400;

/// Of the value of a variable so many letters are kept.
const LONGEST_VALUE: usize = 4096;

/// Of a name so many.
const LONGEST_NAME: usize = 128;

/// More network devices than a host has.
const MOST_DEVICES: usize = 128;

/// More versions of NCCL, or networks, than a host has.
const MOST_VERSIONS: usize = 16;

/// How the INFO lines begin that say something of the job beside the signatures.
const SPEAKING: [&str; 15] = [
    "NCCL",
    "Bootstrap",
    "NET/",
    "Using ",
    "Channel ",
    "ncclComm",
    "comm ",
    "[Rank ",
    "GPU Direct",
    "Ring ",
    "NVLS multicast",
    "Pattern ",
    "+ NET[",
    "TUNER/",
    "Successfully loaded",
];

/// What stands inside of others of them.
const SPEAKING_INSIDE: [&str; 2] = [" coll channels", " Bytes -> Algo "];

/// How two ranks are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Transport {
    P2p,
    Shm,
    Socket,
    /// A network other than Socket, GPU memory read and written by the NIC.
    NetGdr,
    /// The same through host memory.
    Net,
}

impl Transport {
    /// As the log writes it.
    pub fn name(self) -> &'static str {
        match self {
            Transport::P2p => "P2P",
            Transport::Shm => "SHM",
            Transport::Socket => "NET/Socket",
            Transport::NetGdr => "NET with GDRDMA",
            Transport::Net => "NET without GDRDMA",
        }
    }
}

/// What one host says of itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Host {
    pub versions: BTreeMap<String, Evidence>,
    /// Interface and address of the bootstrap.
    pub bootstrap: Option<(String, String, Evidence)>,
    /// Interfaces of the Socket network: name, address.
    #[serde(default)]
    pub interfaces: Vec<(String, String)>,
    /// `mlx5_0:1/IB`, in the order of the log.
    pub hcas: Vec<String>,
    pub hcas_line: Option<Evidence>,
    /// Network name -> first line.
    pub networks: BTreeMap<String, Evidence>,
    pub variables: BTreeMap<String, (String, Evidence)>,
    pub transports: BTreeMap<Transport, Seen>,
    #[serde(default)]
    pub nics: Nics,
}

impl Host {
    /// The line that shows that the host uses TCP: a channel, or the choice of the network.
    pub fn uses_tcp(&self) -> Option<&Evidence> {
        let channel = self.transports.get(&Transport::Socket).map(|seen| &seen.first);
        channel.or_else(|| self.networks.get("Socket"))
    }
}

/// A completion with an error.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Completion {
    pub status: u32,
    pub vendor: Option<u32>,
    pub host: String,
    /// The NIC, where the release prints it.
    #[serde(default)]
    pub nic: Option<String>,
    pub evidence: Evidence,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Death {
    Crash,
    Killed,
    CudaMemory,
}

/// A process that died.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Died {
    pub death: Death,
    /// Where, as far as the line says.
    pub whom: String,
    pub evidence: Evidence,
}

/// A collective that a watchdog gave up waiting for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TimedOut {
    pub rank: u32,
    pub sequence: String,
    pub operation: String,
    pub evidence: Evidence,
}

/// All that is known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Job {
    /// Lines of NCCL.
    pub nccl_lines: usize,
    /// Another program's line that names NCCL.
    pub names_nccl: Option<Evidence>,
    pub hosts: BTreeMap<String, Host>,
    /// Id of a signature -> where it was seen.
    pub seen: BTreeMap<String, Seen>,
    /// Warnings of NCCL that no signature knows, digits as 0 -> where they were seen.
    #[serde(default)]
    pub unknown: BTreeMap<String, Seen>,
    pub ranks: u32,
    pub nodes: u32,
    pub started: BTreeSet<u32>,
    pub completed: BTreeSet<u32>,
    pub first_start: Option<Evidence>,
    /// All connections of some rank were made.
    #[serde(default)]
    pub connected: bool,
    /// The communicators of several ranks that rank 0 of a host completed: host, id, line.
    #[serde(default)]
    pub roots: Vec<(String, String, Evidence)>,
    pub completions: Vec<Completion>,
    /// Lines `port error`: host, evidence.
    pub port_errors: Vec<(String, Evidence)>,
    /// Refused or unanswered connections: host that tried, address.
    pub connects: Vec<(String, String, Evidence)>,
    pub modify_qp: Vec<(String, Evidence)>,
    /// GPU Direct RDMA off because of the distance: host -> first line.
    pub far: BTreeMap<String, Evidence>,
    pub timed_out: Vec<TimedOut>,
    /// Somebody or something ended the job from outside: an interrupt, a time limit.
    #[serde(default)]
    pub interrupted: Option<Evidence>,
    /// Rows of nccl-tests whose results are wrong: how many, and the first.
    #[serde(default)]
    pub wrong_results: Option<(usize, Evidence)>,
    /// Processes that died by themselves, in the order of the log.
    pub died: Vec<Died>,
    /// Lines of the network plugin that say that it does not start.
    pub plugin_failed: Option<Evidence>,
    /// The network plugin that was loaded.
    pub plugin_loaded: Option<(String, Evidence)>,
    /// Ranks that RAS has no data of.
    pub unanswered: Vec<(u32, String, Evidence)>,
    /// Settings of a launcher's own lines (`export NAME=value`, `-x NAME=value`).
    pub launched_with: BTreeMap<String, (String, Evidence)>,
    /// What NCCL chose.
    #[serde(default)]
    pub tuning: Tuning,
    /// Lines of other programs after the first rank completed its start: the job was running.
    pub progress: usize,
    /// Lines read.
    order: usize,
    /// The ranks of `timed_out`.
    #[serde(skip)]
    timed_out_ranks: BTreeSet<u32>,
    #[serde(skip)]
    reading: Reading,
}

/// What is remembered while a file is read.
#[derive(Clone, Debug, Default)]
struct Reading {
    file: usize,
    /// The host of the latest line.
    host: String,
    /// A rank completed its start.
    completed: bool,
    /// RAS lists ranks without data.
    in_unanswered: bool,
    /// A table of nccl-tests is being printed.
    in_results: bool,
    /// Host, pid and device -> rank.
    rank_of: BTreeMap<(String, u32, u32), u32>,
}

/// Another program's line that names NCCL, or the heading or the end of nccl-tests' output.
fn names_nccl(text: &str) -> bool {
    ["NCCL", "nccl", "Nccl", "# nThread ", "#wrong", "# Avg bus bandwidth"].iter().any(|name| text.contains(name))
}

/// The INFO line says something of the job.
fn speaks(text: &str) -> bool {
    let text = text.trim_start();
    SPEAKING.iter().any(|start| text.starts_with(start)) || SPEAKING_INSIDE.iter().any(|part| text.contains(part))
}

impl Job {
    /// The lines of a list are being read: each counts.
    pub fn wants_all(&self) -> bool {
        self.reading.in_unanswered || self.reading.in_results
    }

    /// Counts a line that says nothing of the job.
    pub fn skip(&mut self, file: usize, bytes: &[u8]) {
        self.next_line(file);
        if self.reading.completed && !bytes.trim_ascii().is_empty() {
            self.progress += 1;
        }
    }

    fn next_line(&mut self, file: usize) {
        self.order += 1;
        if self.reading.file != file {
            self.reading = Reading { file, ..Reading::default() };
        }
    }

    /// Takes a line and the signature that it holds.
    pub fn take(&mut self, line: &Line<'_>, signature: Option<&str>, place: Place) {
        self.next_line(place.file);
        if let Some(host) = line.host.filter(|host| *host != self.reading.host) {
            self.reading.host = host.to_string();
        }
        if line.level == Some(Level::Info) && signature.is_none() && !speaks(line.text) {
            self.nccl_lines += 1;
            return;
        }
        let text = || line.whole.trim().chars().take(LONGEST_EVIDENCE).collect();
        let order = self.order;
        let evidence = || Evidence { place, text: text(), order, time: line.time };
        if line.level.is_none() {
            self.other_program(line, evidence);
            if signature.is_none() && !names_nccl(line.whole) {
                return;
            }
        }
        let evidence = evidence();
        if line.level.is_some() {
            self.nccl_lines += 1;
            self.nccl(line, &evidence);
        } else if self.names_nccl.is_none() && names_nccl(line.whole) {
            self.names_nccl = Some(evidence.clone());
        }
        if let Some(signature) = signature {
            self.see(line, signature, evidence.clone());
        } else if line.level == Some(Level::Warn) {
            self.unknown(line, evidence.clone());
        }
        self.watchdog(line, &evidence);
    }

    /// How many lines were read.
    pub(super) fn lines_read(&self) -> usize {
        self.order
    }

    /// As many lines more were read elsewhere.
    pub(super) fn add_lines(&mut self, lines: usize) {
        self.order = self.order.saturating_add(lines);
    }

    /// True when there is nothing of NCCL, not even a framework's line that names it.
    pub fn is_empty(&self) -> bool {
        self.nccl_lines == 0 && self.names_nccl.is_none() && self.seen.is_empty()
    }

    /// More than one host takes part: the log says so, has lines of several, or ranks talk over a network.
    pub fn is_multi_node(&self) -> bool {
        const NETWORK: [Transport; 3] = [Transport::Socket, Transport::NetGdr, Transport::Net];
        let by_network = || {
            self.hosts.values().any(|facts| NETWORK.iter().any(|transport| facts.transports.contains_key(transport)))
        };
        self.nodes > 1 || (self.nodes == 0 && (self.hosts.len() > 1 || by_network()))
    }

    /// Keeps the first time-out of each rank.
    pub(super) fn time_out(&mut self, timed_out: TimedOut) {
        if self.timed_out_ranks.insert(timed_out.rank) {
            self.timed_out.push(timed_out);
        }
    }

    /// All values of a variable with their hosts.
    pub fn variable(&self, name: &str) -> Vec<(&str, &str, &Evidence)> {
        self.hosts
            .iter()
            .filter_map(|(host, facts)| {
                facts.variables.get(name).map(|(value, evidence)| (&**host, &**value, evidence))
            })
            .collect()
    }

    fn host(&mut self, line: &Line<'_>) -> Option<&mut Host> {
        let name = line.host.unwrap_or("");
        if !self.hosts.contains_key(name) && (self.hosts.len() >= MOST_KEPT || name.is_empty()) {
            return None;
        }
        Some(self.hosts.entry(name.to_string()).or_default())
    }

    pub(super) fn rank(&self, line: &Line<'_>) -> Option<u32> {
        let known = || self.reading.rank_of.get(&(line.host?.to_string(), line.pid?, line.device?)).copied();
        line.rank.or_else(known)
    }

    fn see(&mut self, line: &Line<'_>, signature: &str, evidence: Evidence) {
        let rank = self.rank(line);
        let host = line.host.map(str::to_string);
        if !self.seen.contains_key(signature) {
            self.seen.insert(signature.to_string(), Seen::first(evidence));
        }
        if let Some(seen) = self.seen.get_mut(signature) {
            seen.add(host, rank);
        }
    }

    fn nccl(&mut self, line: &Line<'_>, evidence: &Evidence) {
        let text = line.text;
        self.tuning.take(text);
        if let Some(host) = self.host(line) {
            host.nics.take(text);
        }
        if let Some(version) = after(text, "NCCL version ").and_then(|rest| rest.split(['+', ' ']).next()) {
            self.version(version, evidence);
        } else if let Some(rest) = after(text, "Bootstrap : Using ").or_else(|| after(text, "Bootstrap: Using ")) {
            self.bootstrap(line, rest, evidence);
        } else if let Some(rest) = after(text, "NET/IB : Using ") {
            let hcas: Vec<String> = rest
                .split_whitespace()
                .filter(|word| word.starts_with('[') && word.contains('/'))
                .filter_map(|word| Some(word.split_once(']')?.1.chars().take(LONGEST_NAME).collect()))
                .take(MOST_DEVICES)
                .collect();
            if let Some(host) = self.host(line).filter(|_| !hcas.is_empty()) {
                host.hcas = hcas;
                host.hcas_line.get_or_insert_with(|| evidence.clone());
            }
        } else if let Some(rest) = after(text, "NET/Socket : Using ").or_else(|| after(text, "NET/Socket: Using ")) {
            let interfaces = rest.split_whitespace().filter_map(|word| {
                let (interface, address) = word.split_once(']')?.1.split_once(':')?;
                Some((interface.to_string(), address.split(['<', '%']).next()?.to_string()))
            });
            let interfaces: Vec<_> = interfaces.take(MOST_DEVICES).collect();
            if let Some(host) = self.host(line).filter(|_| !interfaces.is_empty()) {
                host.interfaces = interfaces;
            }
        } else if let Some((interface, address)) =
            after(text, "NET : Using interface ").and_then(|rest| rest.split_once(':'))
        {
            let address = address.split('<').next().unwrap_or_default().to_string();
            if let Some(host) = self.host(line).filter(|host| host.interfaces.len() < MOST_DEVICES) {
                host.interfaces.push((interface.to_string(), address));
            }
        } else if let Some(network) = after(text, "Using network ") {
            let name = network.trim().chars().take(LONGEST_NAME).collect();
            if let Some(host) = self.host(line).filter(|host| host.networks.len() < MOST_VERSIONS) {
                host.networks.entry(name).or_insert_with(|| evidence.clone());
            }
        } else if let Some((name, value)) = setting(text) {
            if let Some(host) = self.host(line).filter(|host| host.variables.len() < MOST_KEPT) {
                let value = || value.chars().take(LONGEST_VALUE).collect();
                host.variables.entry(name.to_string()).or_insert_with(|| (value(), evidence.clone()));
            }
        } else if let Some(name) = after(text, "Loaded net plugin ").and_then(|rest| rest.split(" (").next()) {
            self.plugin_loaded.get_or_insert_with(|| (name.to_string(), evidence.clone()));
        } else if text.contains("comm ") {
            self.communicator(line, evidence);
        }
        if let Some(via) = after(text, " via ").filter(|_| text.starts_with("Channel ") || text.starts_with("Ring ")) {
            self.channel(line, via, evidence);
        }
        self.connected |= text.starts_with("Connected all ");
        self.error(line, evidence);
    }

    /// The version line often has no host: it belongs to the host that printed last.
    fn version(&mut self, version: &str, evidence: &Evidence) {
        let name = self.reading.host.clone();
        if self.hosts.len() < MOST_KEPT || self.hosts.contains_key(&name) {
            let host = self.hosts.entry(name).or_default();
            if host.versions.len() < MOST_VERSIONS {
                host.versions.entry(version.to_string()).or_insert_with(|| evidence.clone());
            }
        }
    }

    fn bootstrap(&mut self, line: &Line<'_>, rest: &str, evidence: &Evidence) {
        let rest = rest.trim_start_matches(|c: char| c == '[' || c == ']' || c.is_ascii_digit());
        let (Some((interface, address)), Some(host)) = (rest.split_once(':'), self.host(line)) else { return };
        let address = address.split('<').next().unwrap_or(address).to_string();
        host.bootstrap.get_or_insert_with(|| (interface.to_string(), address, evidence.clone()));
    }

    fn communicator(&mut self, line: &Line<'_>, evidence: &Evidence) {
        let number = |key: &str| -> Option<u32> {
            after(line.text, key)?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        if let Some(nodes) = number(" nNodes ") {
            self.nodes = self.nodes.max(nodes);
        }
        if let Some(ranks) = number(" nranks ").or_else(|| number(" nRanks ")) {
            self.ranks = self.ranks.max(ranks);
        }
        let Some(rank) = number(" rank ") else { return };
        if let (Some(host), Some(pid), Some(device)) = (line.host, line.pid, line.device)
            && self.reading.rank_of.len() < MOST_KEPT
        {
            self.reading.rank_of.entry((host.to_string(), pid, device)).or_insert(rank);
        }
        if line.text.contains("Init START") {
            if self.started.len() < MOST_RANKS {
                self.started.insert(rank);
            }
            self.first_start.get_or_insert_with(|| evidence.clone());
        } else if line.text.contains("Init COMPLETE") {
            if self.completed.len() < MOST_RANKS {
                self.completed.insert(rank);
            }
            self.reading.completed = true;
            let id = after(line.text, " commId ").and_then(|rest| rest.split(' ').next());
            if let (Some(host), Some(id)) = (line.host, id.filter(|_| rank == 0 && number(" nranks ") > Some(1)))
                && self.roots.len() < MOST_KEPT
            {
                self.roots.push((host.to_string(), id.to_string(), evidence.clone()));
            }
        }
    }

    fn channel(&mut self, line: &Line<'_>, via: &str, evidence: &Evidence) {
        let transport = match via {
            _ if via.starts_with("P2P") => Transport::P2p,
            _ if via.starts_with("SHM") => Transport::Shm,
            _ if via.starts_with("NET/Socket") => Transport::Socket,
            _ if via.starts_with("NET/") && via.contains("/GDRDMA") => Transport::NetGdr,
            _ if via.starts_with("NET/") => Transport::Net,
            _ => return,
        };
        let rank = self.rank(line);
        let name = line.host.map(str::to_string);
        let Some(host) = self.host(line) else { return };
        let seen = host.transports.entry(transport).or_insert_with(|| Seen::first(evidence.clone()));
        seen.add(name, rank);
    }
}
