//! What NCCL says of the NICs of a host, and of the channels, algorithms and plugins that it chose.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::text::{after, digits};

/// More names than this are not kept.
const MOST_NAMES: usize = 256;

/// Algorithms by code, as 2.20 to 2.23 print them (`NVIDIA/nccl:src/include/nccl_tuner.h`).
const ALGORITHMS: [&str; 7] = ["Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"];
/// Protocols by code.
const PROTOCOLS: [&str; 3] = ["LL", "LL128", "Simple"];

/// The NICs of a host.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Nics {
    /// Port (`mlx5_0:1`) -> rate in Mb/s, from the lines of the network.
    speeds: BTreeMap<String, u64>,
    /// Network node of the topology (`0`, `0-3`) -> rate in Mb/s.
    links: BTreeMap<String, u64>,
    /// The numbers of the NICs that channels go through.
    pub used: BTreeSet<u32>,
}

impl Nics {
    /// Takes a line's text.
    pub fn take(&mut self, text: &str) {
        if let Some((port, speed)) = speed(text).filter(|_| self.speeds.len() < MOST_NAMES) {
            self.speeds.insert(port, speed);
        } else if let Some((node, speed)) = link(text).filter(|_| self.links.len() < MOST_NAMES) {
            self.links.insert(node.to_string(), speed);
        }
        if let Some(nic) = nic_of_channel(text).filter(|_| self.used.len() < MOST_NAMES) {
            self.used.insert(nic);
        }
    }

    /// The rate of a port as `NET/IB : Using` lists it (`mlx5_0:1/IB`), in Mb/s.
    pub fn speed(&self, hca: &str) -> Option<u64> {
        let port = hca.split('/').next().unwrap_or(hca);
        self.speeds.get(port).or_else(|| self.speeds.get(port.split(':').next()?)).copied()
    }

    /// Rates in Mb/s of the ports that count: those that channels use, or all of the list. Where the network's own lines say nothing,
    /// those of the topology. None when one is unknown.
    pub fn rates(&self, hcas: &[String]) -> Option<Vec<u64>> {
        let listed: Option<Vec<u64>> = hcas.iter().map(|hca| self.speed(hca)).collect();
        if let Some(rates) = listed.filter(|rates| !rates.is_empty()) {
            // With merged NICs the numbers of channels are not those of the list.
            let is_merged = self.speeds.keys().any(|name| name.contains('+'));
            let all = is_merged || self.used.is_empty();
            let is_used = |number: usize| all || self.used.contains(&(number as u32));
            return Some(
                rates.into_iter().enumerate().filter(|(number, _)| is_used(*number)).map(|(_, rate)| rate).collect(),
            );
        }
        // With MNNVL the topology shows the NICs of several hosts.
        let systems: BTreeSet<&str> = self.links.keys().filter_map(|node| Some(node.split_once('-')?.0)).collect();
        (!self.links.is_empty() && systems.len() < 2).then(|| self.links.values().copied().collect())
    }

    /// Adds what another log says of this host.
    pub fn merge(&mut self, other: Nics) {
        self.speeds.extend(other.speeds);
        self.links.extend(other.links);
        self.used.extend(other.used);
    }
}

/// What NCCL chose for the job.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tuning {
    /// Channels for collectives, and of them for NVLS; the most of any communicator.
    pub channels: u32,
    pub nvls_channels: Option<u32>,
    /// The `NVSwitches` offer multicast.
    pub multicast: Option<bool>,
    /// Channels that go through the NIC of another GPU.
    pub pxn: usize,
    /// `AllReduce Ring/Simple` -> how often it was chosen.
    pub algorithms: BTreeMap<String, usize>,
    /// Path types of the searched rings and trees, `NVL/PXB`: inside a node, to the network.
    pub paths: BTreeSet<String>,
    /// Networks and tuners that plugins brought.
    pub plugins: BTreeSet<String>,
    pub local_ranks: u32,
}

impl Tuning {
    /// Takes a line's text.
    pub fn take(&mut self, text: &str) {
        if let Some((channels, rest)) = text.split_once(" coll channels") {
            self.channels = self.channels.max(channels.trim().parse().unwrap_or(0));
            let nvls = rest.split(", ").find_map(|piece| piece.strip_suffix(" nvls channels")?.trim().parse().ok());
            self.nvls_channels = self.nvls_channels.max(nvls);
        } else if let Some(rest) = text.strip_prefix("NVLS multicast support is ") {
            self.multicast = Some(self.multicast.unwrap_or(true) && rest.starts_with("available"));
        } else if let Some((before, rest)) = text.split_once(" Bytes -> Algo ") {
            if let Some(choice) = choice(before, rest).filter(|_| self.algorithms.len() < MOST_NAMES) {
                *self.algorithms.entry(choice).or_default() += 1;
            }
        } else if let Some(rest) = after(text, ", type ").filter(|_| text.starts_with("Pattern ")) {
            let paths = rest.split(',').next().unwrap_or_default().trim();
            if paths.len() < 16 && self.paths.len() < MOST_NAMES {
                self.paths.insert(paths.to_string());
            }
        } else if let Some(name) = plugin(text).filter(|_| self.plugins.len() < MOST_NAMES) {
            self.plugins.insert(name);
        }
        if let Some(ranks) = after(text, " localRanks ").and_then(digits) {
            self.local_ranks = self.local_ranks.max(ranks);
        }
        if after(text, " via NET/").is_some_and(|via| via.split('/').nth(1).is_some_and(|nic| nic.contains('('))) {
            self.pxn += 1;
        }
    }

    /// Adds what another log says.
    pub fn merge(&mut self, other: Tuning) {
        self.channels = self.channels.max(other.channels);
        self.nvls_channels = self.nvls_channels.max(other.nvls_channels);
        self.multicast = match (self.multicast, other.multicast) {
            (Some(one), Some(other)) => Some(one && other),
            (one, other) => one.or(other),
        };
        self.pxn = self.pxn.saturating_add(other.pxn);
        for (choice, count) in other.algorithms {
            let known = self.algorithms.entry(choice).or_default();
            *known = known.saturating_add(count);
        }
        self.paths.extend(other.paths);
        self.plugins.extend(other.plugins);
        self.local_ranks = self.local_ranks.max(other.local_ranks);
    }
}

/// Port and rate. `NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 ...` (2.27 and later), `NET/IB : Made virtual device [0]
/// name=mlx5_0 speed=400000 ndevs=1` (2.24 and later).
fn speed(text: &str) -> Option<(String, u64)> {
    let rest = text.strip_prefix("NET/IB")?;
    let speed = u64::from(after(rest, " speed=").and_then(digits)?);
    if let Some(name) = after(rest, "Made virtual device [").and_then(|rest| after(rest, "name=")) {
        return Some((name.split(' ').next()?.to_string(), speed));
    }
    let mut pieces = after(rest, "] ")?.split(' ').next()?.split(['/', ':']);
    let (device, _, port) = (pieces.next()?, pieces.next()?, pieces.next()?);
    Some((format!("{device}:{port}"), speed))
}

/// `+ NET[50.0] - NET/0-3 (...)` of the topology: node and rate; the log has GB/s.
fn link(text: &str) -> Option<(&str, u64)> {
    let rest = text.trim_start().strip_prefix("+ NET[")?;
    let (rate, rest) = rest.split_once(']')?;
    let node = after(rest, "NET/")?.split(' ').next()?;
    Some((node, (rate.parse::<f64>().ok()? * 8_000.0) as u64))
}

/// The NIC's number in `... via NET/IB/3(7)/GDRDMA`.
fn nic_of_channel(text: &str) -> Option<u32> {
    if !text.starts_with("Channel ") {
        return None;
    }
    digits(after(text, " via NET/")?.split('/').nth(1)?)
}

/// `AllReduce: 33554432` and `RING proto SIMPLE channel...`, or codes, -> `AllReduce Ring/Simple`.
fn choice(before: &str, rest: &str) -> Option<String> {
    let mut words = rest.split_whitespace();
    let algorithm = named(words.next()?, &ALGORITHMS)?;
    let protocol = named(words.nth(1)?, &PROTOCOLS)?;
    let collective = before.split_once(':').map_or("", |(collective, _)| collective);
    let is_name = collective.len() < 32 && collective.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let collective = if is_name { collective } else { "" };
    Some(format!("{collective} {algorithm}/{protocol}").trim_start().to_string())
}

/// The name for a code or another spelling.
fn named(word: &str, names: &[&'static str]) -> Option<&'static str> {
    let by_code = word.parse::<usize>().ok().and_then(|code| names.get(code).copied());
    by_code.or_else(|| names.iter().copied().find(|name| squeezed(name) == squeezed(word)))
}

/// `NVLS_TREE` and `NVLSTree` are one.
fn squeezed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// The network or tuner that a plugin brought.
fn plugin(text: &str) -> Option<String> {
    let network =
        after(text, "Loaded net plugin ").or_else(|| after(text, "Successfully loaded external network plugin "));
    let tuner =
        || after(text, "Using tuner plugin").or_else(|| after(text, "Successfully loaded external tuner plugin "));
    let (kind, name) = network.map(|name| ("network", name)).or_else(|| tuner().map(|name| ("tuner", name)))?;
    let name = name.split(" (").next()?.trim_matches([' ', ':', '\'']);
    (!name.is_empty() && name.len() < 80).then(|| format!("{kind} {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_come_from_the_network_or_from_the_topology() {
        let mut nics = Nics::default();
        nics.take("NET/IB: [0] mlx5_0:uverbs0:1/IB provider=Mlx5 speed=400000 context=0x55 pciPath=/sys/x ar=1");
        nics.take("NET/IB : Made virtual device [1] name=mlx5_3 speed=200000 ndevs=1");
        let hcas = ["mlx5_0:1/IB".to_string(), "mlx5_3:1/RoCE".to_string()];
        assert_eq!(nics.rates(&hcas), Some(vec![400_000, 200_000]));
        assert_eq!(nics.rates(&["mlx5_9:1/IB".to_string()]), None);
        nics.take("Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA");
        assert_eq!(nics.rates(&hcas), Some(vec![400_000]), "only what is used counts");
        let mut nics = Nics::default();
        nics.take("              + NET[12.5] - NET/0-1 (0/0/1/12.500000)");
        nics.take("              + NET[12.5] - NET/0-0 (0/0/1/12.500000)");
        assert_eq!(nics.rates(&[]), Some(vec![100_000, 100_000]));
        nics.take("              + NET[12.5] - NET/1-0 (0/0/1/12.500000)");
        assert_eq!(nics.rates(&[]), None, "NICs of several hosts");
    }

    #[test]
    fn what_was_chosen_is_read_in_the_wordings_of_all_releases() {
        let mut tuning = Tuning::default();
        for line in [
            "16 coll channels, 16 collnet channels, 8 nvls channels, 16 p2p channels, 2 p2p channels per peer",
            "NVLS multicast support is not available on dev 3",
            "AllReduce: 33554432 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..31}",
            "AllReduce: 33554432 Bytes -> Algo 1 proto 2 time 812.1",
            "33554432 Bytes -> Algo 0 proto 1 time 9.1",
            "AllGather: 4096 Bytes -> Algo NVLS_TREE proto LL channel{Lo..Hi}={0..1}",
            "Pattern 4, crossNic 0, nChannels 2, bw 24.000000/24.000000, type PHB/PIX, sameChannels 1",
            "NET/Plugin: Loaded net plugin Libfabric (v8)",
            "TUNER/Plugin: Using tuner plugin nccl_ofi_tuner",
            "comm 0x5610 rank 0 nRanks 8 nNodes 2 localRanks 4 localRank 0 MNNVL 0",
            "Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/3(7)/GDRDMA",
        ] {
            tuning.take(line);
        }
        assert_eq!((tuning.channels, tuning.nvls_channels, tuning.multicast), (16, Some(8), Some(false)));
        let algorithms: Vec<(&str, usize)> = tuning.algorithms.iter().map(|(name, count)| (&**name, *count)).collect();
        assert_eq!(algorithms, [("AllGather NVLSTree/LL", 1), ("AllReduce Ring/Simple", 2), ("Tree/LL128", 1)]);
        assert_eq!(tuning.paths.iter().collect::<Vec<_>>(), ["PHB/PIX"]);
        assert_eq!(tuning.plugins.iter().collect::<Vec<_>>(), ["network Libfabric", "tuner nccl_ofi_tuner"]);
        assert_eq!((tuning.local_ranks, tuning.pxn), (4, 1));
    }
}
