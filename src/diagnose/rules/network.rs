//! Conclusions about the network that the job uses.

use std::collections::{BTreeMap, BTreeSet};

use super::{Case, Conclusion, finding};
use crate::diagnose::finding::{Finding, Severity};
use crate::diagnose::job::{Evidence, Job, Seen, Transport};
use crate::diagnose::path;
use crate::diagnose::text::{after, digits, list, names, network};
use crate::knowledge::model::{Level, Role, Signature};
use crate::knowledge::release::Release;
use crate::render::foreign;

const MODIFY_QP: &[&str] = &[
    "modify-qp-einval",
    "modify-qp-enetunreach",
    "modify-qp-enodev",
    "modify-qp-etimedout",
    "modify-qp-general",
    "modify-qp-retrying",
    "hint-cross-rail",
    "hint-gid-index",
];

/// A queue pair was given a link-local address. Evidence: `ibv_modify_qp` fails, and names a local GID that begins with fe80.
pub fn link_local_gid(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let (host, evidence) = case.job.modify_qp.iter().find(|(_, evidence)| evidence.text.contains("local GID fe80"))?;
    let mut finding = finding(
        "gid-link-local",
        Severity::Error,
        Some(evidence),
        &["gid-selection#read-table", "qp-state-machine#modify-other"],
    );
    let forced = case.job.variable("NCCL_IB_GID_INDEX").into_iter().next();
    let forced =
        forced.map_or(String::new(), |(_, value, _)| format!(" NCCL_IB_GID_INDEX={} forces it.", foreign(value)));
    finding.message = format!(
        "On {} the queue pair uses a link-local GID (fe80::), which is valid on its own link only and is not routed between hosts, so the way to \
         RTR fails.{forced}",
        foreign(host)
    );
    finding.advice = "Unset NCCL_IB_GID_INDEX: since 2.21.5 NCCL chooses by itself. Or take the index of the RoCE v2 entry with the routable IPv4 or IPv6 \
                      address from `show_gids`, the same on all hosts (GID index 3 on many). If no such entry exists, the interface has no \
                      routable address. The HINT about rails is printed for every such failure and means nothing here."
        .to_string();
    finding.count = case.job.modify_qp.len();
    finding.hosts = vec![host.clone()];
    Some(Conclusion::new(finding, MODIFY_QP))
}

/// Queue pairs between two subnets time out. Evidence: `ibv_modify_qp` times out, and the IPv4 addresses in its GIDs differ before the last byte.
pub fn rails_unconnected(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let is_time_out = |text: &str| text.contains("timed out") || text.contains("unreachable");
    let (host, evidence, local, remote) =
        case.job.modify_qp.iter().filter(|(_, line)| is_time_out(&line.text)).find_map(|(host, line)| {
            let local = ipv4_after(&line.text, "local GID ::ffff:")?;
            let remote = ipv4_after(&line.text, "remote GID ::ffff:")?;
            (subnet(local) != subnet(remote)).then_some((host, line, local, remote))
        })?;
    let mut finding = finding(
        "rails-unconnected",
        Severity::Error,
        Some(evidence),
        &["rail-topology#modify-qp-timeout", "qp-state-machine#modify-etimedout", "gid-selection#other-modify-qp"],
    );
    finding.message = format!(
        "A NIC of {} ({local}) tries to reach one in another subnet ({remote}) and gets no answer: the two rails are not connected to each other, or not \
         routed. Connections inside a rail may work at the same time.",
        foreign(host)
    );
    finding.advice = format!(
        "`ping -I NETDEV {remote}` from the interface that has {local}. No answer, and by design none: `NCCL_CROSS_NIC=0` keeps rings on their rail, but \
         point-to-point and all-to-all still need a way between rails, through PXN (NCCL_P2P_PXN_LEVEL) or routes over the spines. If rails should reach each other: \
         routes and neighbour entries (ARP) on both hosts."
    );
    finding.count = case.job.modify_qp.len();
    finding.hosts = vec![host.clone()];
    Some(Conclusion::new(finding, MODIFY_QP))
}

fn ipv4_after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let rest = &text[text.find(key)? + key.len()..];
    let address = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
    (address.split('.').count() == 4).then_some(address)
}

fn subnet(address: &str) -> &str {
    address.rsplit_once('.').map_or(address, |(subnet, _)| subnet)
}

/// A port of InfiniBand is paired with one of RoCE. Evidence: the message that says so, and the device lists of the hosts.
pub fn link_layers_mixed(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let seen = case.seen("link-layer-mix")?;
    let lists: Vec<String> = case
        .job
        .hosts
        .iter()
        .filter(|(_, facts)| !facts.hcas.is_empty())
        .take(4)
        .map(|(host, facts)| format!("{}: {}", foreign(host), devices(&facts.hcas)))
        .collect();
    let mut finding = finding(
        "link-layers-mixed",
        Severity::Error,
        Some(&seen.first),
        &["nccl-transports#link-layer-mix", "nccl-env#NCCL_IB_HCA"],
    );
    finding.message = format!(
        "An InfiniBand port is paired with a RoCE port: the hosts number their devices differently or have both kinds. {}",
        lists.join("; ")
    );
    finding.advice = "Select the ports of one link type on each host with NCCL_IB_HCA; where the names differ per host, set it per host in /etc/nccl.conf. \
                      Lasting: the same device names everywhere, or the same link type (`mlxconfig` LINK_TYPE)."
        .to_string();
    finding.count = seen.count;
    finding.hosts = seen.hosts.iter().cloned().collect();
    Some(Conclusion::new(finding, &["link-layer-mix"]))
}

/// A list of devices.
fn devices(hcas: &[String]) -> String {
    hcas.iter().map(|hca| foreign(hca)).collect::<Vec<_>>().join(" ")
}

/// Why the verbs network did not start on a host.
struct Reason<'a> {
    evidence: &'a Evidence,
    parts: Vec<String>,
    says: String,
    advice: String,
}

/// NCCL's own network for InfiniBand and RoCE.
const BUILT_IN: &str = "IB";

/// What prints the lines of network plugins.
const PLUGINS: [&str; 6] =
    ["aws-ofi-nccl", "libfabric", "google-fastrak", "google-gib", "nccl-rdma-sharp-plugins", "ucx"];

/// Lines of a network plugin that did not start, the worst and first one first. Evidence: they name a fault, and the network is Socket.
pub fn failed_plugin<'c, 'a>(case: &'c Case<'_, 'a>) -> Vec<(Signature<'a>, &'c Seen)> {
    if !case.job.hosts.values().any(|facts| facts.uses_tcp().is_some()) {
        return Vec::new();
    }
    let is_of_plugin = |(signature, _): &(Signature<'a>, &Seen)| {
        PLUGINS.contains(&signature.printed_by) && signature.level >= Level::Warning
    };
    let mut lines: Vec<_> = case.all_seen().filter(is_of_plugin).collect();
    lines.sort_by_key(|(signature, seen)| {
        // The library below the plugin tries providers one by one, and says so of each.
        let is_trial = signature.printed_by == "libfabric";
        (signature.role != Role::Cause, is_trial, std::cmp::Reverse(signature.level), seen.first.order)
    });
    lines
}

/// Hosts use TCP where others, or the settings, want RDMA. Evidence: channels via NET/Socket or `Using network Socket`, in a job of several
/// hosts or after a plugin that failed. `has_cause`: the job failed of something else, so that the speed is beside the point.
pub fn tcp_fallback(
    case: &Case<'_, '_>,
    plugin: &[(Signature<'_>, &Seen)],
    has_cause: bool,
) -> Option<Conclusion<'static>> {
    let job = case.job;
    let by_tcp: Vec<(&str, &Evidence)> =
        job.hosts.iter().filter_map(|(host, facts)| Some((host.as_str(), facts.uses_tcp()?))).collect();
    let (_, first) = by_tcp.first()?;
    let others = by_other_networks(job);
    if !job.is_multi_node() && others.is_empty() && (plugin.is_empty() || job.nodes == 1) {
        return None;
    }
    let logged = job.variable("NCCL_NET").into_iter().map(|(_, value, _)| value);
    let launched = job.launched_with.get("NCCL_NET").map(|(value, _)| value.as_str());
    let wished = logged.chain(launched).find(|value| value.eq_ignore_ascii_case("socket"));
    let is_wish = wished.is_some() && others.is_empty();
    let severity = if is_wish || has_cause { Severity::Note } else { Severity::Warning };
    let reason = plugin.first().map_or_else(|| reason(case, first), |(signature, seen)| of_plugin(signature, seen));
    let parts: Vec<&str> = reason.parts.iter().map(String::as_str).collect();
    let mut finding = finding("tcp-fallback", severity, Some(reason.evidence), &parts);
    let hosts: Vec<&str> = by_tcp.iter().map(|(host, _)| *host).collect();
    let who = if hosts.iter().all(|host| host.is_empty()) { "the job".to_string() } else { names(&hosts) };
    finding.message = if is_wish {
        format!("NCCL_NET=Socket: {who} runs over TCP sockets, as was asked for.")
    } else if others.is_empty() {
        format!(
            "NCCL fell back to TCP on {who}, without an RDMA network (such as InfiniBand or RoCE): {} Nothing fails, it is only slow.",
            reason.says
        )
    } else {
        format!(
            "The networks differ: NCCL fell back to TCP on {who}, while other ranks use {}. {} All ranks must use the same network: connections \
             between two kinds fail (wrong type, closed by the peer) or hang.",
            list(&others.keys().map(|name| network(name)).collect::<Vec<_>>()),
            reason.says
        )
    };
    finding.advice = if is_wish { "Unset it where the hosts have RDMA NICs.".to_string() } else { reason.advice };
    finding.hosts = hosts.iter().map(|host| (*host).to_string()).collect();
    Some(Conclusion::new(finding, &[]))
}

/// What connections say where some processes use TCP and others do not: signatures that the fallback explains.
pub fn of_unlike_networks(case: &Case<'_, '_>) -> &'static [&'static str] {
    let job = case.job;
    let has_other = job.hosts.values().any(|facts| facts.networks.keys().any(|name| name != "Socket"));
    let mixed = has_other && job.hosts.values().any(|facts| facts.uses_tcp().is_some());
    if mixed { &["socket-wrong-magic", "socket-wrong-type"] } else { &[] }
}

/// The networks other than Socket that processes use, and the hosts of each.
fn by_other_networks(job: &Job) -> BTreeMap<&str, Vec<&str>> {
    let mut hosts_of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (host, facts) in &job.hosts {
        for name in facts.networks.keys().filter(|name| *name != "Socket") {
            hosts_of.entry(name).or_default().push(host);
        }
    }
    hosts_of
}

fn of_plugin<'c>(signature: &Signature<'_>, seen: &'c Seen) -> Reason<'c> {
    Reason {
        evidence: &seen.first,
        parts: vec![signature.part.to_string(), "nccl-transports#tcp-fallback".to_string()],
        says: signature.means.to_string(),
        advice: signature.advice.to_string(),
    }
}

/// Processes use different networks, none of them Socket: a plugin on some hosts, the built-in one on others. Evidence: `Using network`.
pub fn networks_differ(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let job = case.job;
    let hosts_of = by_other_networks(job);
    if hosts_of.len() < 2 || job.hosts.values().any(|facts| facts.uses_tcp().is_some()) {
        return None;
    }
    // The network of the fewest hosts is the odd one; among equals that of a plugin.
    let (odd, of_odd) = hosts_of.iter().min_by_key(|(name, hosts)| (hosts.len(), **name == BUILT_IN))?;
    let line = job.hosts.values().find_map(|facts| facts.networks.get(*odd));
    let stuck = job.started.difference(&job.completed).next().is_some();
    let severity = if stuck { Severity::Error } else { Severity::Warning };
    let parts = ["nccl-transports#plugins", "nccl-env#NCCL_NET_PLUGIN", "nccl-versions#plugin-versions"];
    let mut finding = finding("networks-differ", severity, line, &parts);
    let listed: Vec<String> =
        hosts_of.iter().map(|(name, hosts)| format!("{} on {}", network(name), names(hosts))).collect();
    finding.message = format!(
        "The hosts do not use the same network: {}. A network plugin was found on some hosts only; a plugin and the built-in network, or two \
         plugins, set up connections differently, so ranks hang or fail when they connect, often without any warning.",
        list(&listed)
    );
    finding.advice = "Make it the same on all hosts: the same image, LD_LIBRARY_PATH exported to every rank (`mpirun -x LD_LIBRARY_PATH`) so that the same libnccl-net.so is \
                      found everywhere; or NCCL_NET_PLUGIN=none everywhere for the built-in network. That libnccl-net.so is not found is normal where no \
                      host has a plugin."
        .to_string();
    finding.hosts = of_odd.iter().map(|host| (*host).to_string()).collect();
    Some(Conclusion::new(finding, &[]))
}

fn reason<'c>(case: &'c Case<'_, '_>, first: &'c Evidence) -> Reason<'c> {
    if let Some(evidence) = &case.job.plugin_failed {
        return Reason {
            evidence,
            parts: parts(["cloud-efa-gcp-azure#efa-tcp", "nccl-transports#no-net-plugin"]),
            says: "the network plugin (for EFA: aws-ofi-nccl with libfabric), or a library that it needs, was not loaded or failed to start."
                .to_string(),
            advice: "Read the first line of the plugin: a library in another version than it was built for (`ldd` of libnccl-net*.so in the same container, \
                     LD_LIBRARY_PATH and LD_PRELOAD: one set of libfabric, libibverbs and provider), no provider (`fi_info -p efa`), or a limit of the \
                     process (locked memory, huge pages). NCCL_NET set to the plugin's name makes the job stop instead of running slowly."
                .to_string(),
        };
    }
    if let Some((name, evidence)) = &case.job.plugin_loaded {
        return Reason {
            evidence,
            parts: parts(["nccl-transports#wrong-plugin", "cloud-efa-gcp-azure#efa-tcp"]),
            says: format!(
                "the network plugin that was loaded ({}) found no device; it may be made for another network than this one.",
                network(name)
            ),
            advice: "Which libnccl-net.so is found first decides (LD_LIBRARY_PATH, ldconfig, NCCL_NET_PLUGIN; images with HPC-X carry one for InfiniBand). On EFA it must be \
                     aws-ofi-nccl, which reports itself as Libfabric or OFI: install it, or put it before the other. With the right plugin in place, look at its devices.".to_string(),
        };
    }
    if let Some((_, _, evidence)) = case.job.variable("NCCL_IB_DISABLE").into_iter().find(|(_, value, _)| *value != "0")
    {
        return Reason {
            evidence,
            parts: parts(["nccl-transports#tcp-fallback", "nccl-env#NCCL_IB_DISABLE"]),
            says: "NCCL_IB_DISABLE switches verbs off.".to_string(),
            advice: "Unset NCCL_IB_DISABLE, also in /etc/nccl.conf, NCCL_CONF_FILE and the image. If it was set to get around an error, remove that \
                     cause. NCCL_NET=IB makes a job stop instead of falling back.".to_string(),
        };
    }
    if let Some(seen) = case.first_of(&["libibverbs-not-found", "dlvsym-rdma-core-old", "ibv-no-provider"]) {
        return Reason {
            evidence: &seen.first,
            parts: parts(["nccl-transports#tcp-fallback", "containers-k8s#abi"]),
            says: "the verbs library (libibverbs) cannot be loaded.".to_string(),
            advice: "Install rdma-core's user libraries in the image (libibverbs1 and ibverbs-providers, or rdma-core), or put them on LD_LIBRARY_PATH; pass \
                     /dev/infiniband into the container. Then look for `NET/IB : Using`. NCCL_NET=IB makes the job stop instead of falling back. \
                     The line about libnccl-net.so is harmless.".to_string(),
        };
    }
    if let Some(seen) = case.first_of(&["ib-no-device", "ibv-open-device-failed", "ibv-no-devices"]) {
        let filter = case.job.variable("NCCL_IB_HCA").into_iter().next();
        let filter = filter.map_or(String::new(), |(_, value, _)| format!(" (NCCL_IB_HCA is {})", foreign(value)));
        return Reason {
            evidence: &seen.first,
            parts: parts(["nccl-transports#no-device", "containers-k8s#no-devices"]),
            says: format!("no RDMA device is visible to NCCL{filter}."),
            advice: "Run `ibv_devinfo` where the job runs. Lists nothing: pass the devices into the container (`--device /dev/infiniband`, or an rdma/... \
                     resource of a device plugin), with IPC_LOCK and an unlimited memlock. Lists devices: ports must be ACTIVE, and the names must be those \
                     of NCCL_IB_HCA. NCCL_NET=IB makes the job stop instead of falling back.".to_string(),
        };
    }
    Reason {
        evidence: first,
        parts: parts(["nccl-transports#tcp-fallback", "nccl-debug-log#ib-lines"]),
        says: "the log does not say why verbs did not start.".to_string(),
        advice: "Set NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,ENV,NET and look for NET/IB and NET/Plugin lines: missing library, no device, a filter, or \
                 NCCL_NET. NCCL_NET=IB makes the job stop with the reason instead of falling back.".to_string(),
    }
}

fn parts(parts: [&str; 2]) -> Vec<String> {
    parts.map(str::to_string).to_vec()
}

/// GPUDirect RDMA is not used because GPU and NIC are far apart. Evidence: the line with the distance, and channels without GDRDMA.
pub fn gpudirect_far(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let job = case.job;
    let (host, evidence) = job.far.iter().find(|(host, _)| {
        job.hosts.get(*host).is_some_and(|facts| {
            facts.transports.contains_key(&Transport::Net) && !facts.transports.contains_key(&Transport::NetGdr)
        })
    })?;
    let mut finding = finding(
        "gpudirect-distance",
        Severity::Warning,
        Some(evidence),
        &["gpudirect-rdma#distance-gate", "gpudirect-rdma#topo-levels"],
    );
    let path = distance(case, host, &evidence.text)
        .map_or(String::new(), |(distance, limit)| format!(" (distance {distance} in the topology, limit {limit})"));
    finding.message = format!(
        "On {} GPUDirect RDMA is available but not used: GPU and NIC are too far apart in the PCIe topology{path}, so data goes through \
         host memory.",
        foreign(host)
    );
    finding.advice =
        "Best: a NIC under the same PCIe switch as the GPU, or a GPU near the NIC (`nvidia-smi topo -m`: PIX or PXB). \
                      NCCL_NET_GDR_LEVEL=SYS forces it across sockets; measure, it is often no faster than host memory."
            .to_string();
    finding.hosts = job.far.keys().cloned().collect();
    Some(Conclusion::new(finding, &["gdr-disabled-distance"]))
}

/// A network with RDMA is used, and GPUDirect RDMA nowhere. Evidence: channels via NET without GDRDMA, and none with. A note: some GPUs, hosts and
/// clouds have none, and the log does not say why.
pub fn gpudirect_unused(case: &Case<'_, '_>, known: &[Finding]) -> Option<Finding> {
    let job = case.job;
    let uses = |transport| job.hosts.values().any(|facts| facts.transports.contains_key(&transport));
    let named = known.iter().any(|finding| finding.parts.iter().any(|part| part.starts_with("gpudirect-rdma")));
    if named || !job.is_multi_node() || uses(Transport::NetGdr) || uses(Transport::Socket) {
        return None;
    }
    let (_, seen) = job.hosts.iter().find_map(|(host, facts)| Some((host, facts.transports.get(&Transport::Net)?)))?;
    let read = ["gpudirect-rdma#no-gdrdma-suffix", "gpudirect-rdma#decision"];
    let mut finding = finding("gpudirect-unused", Severity::Note, Some(&seen.first), &read);
    finding.message = "The channels between hosts are without GDRDMA: GPUDirect RDMA is not used, data goes through host memory. It works, only slower. The log does not say \
                       why."
        .to_string();
    finding.advice = "NCCL_DEBUG_SUBSYS=INIT,NET,GRAPH shows the reason. The usual ones: no nvidia-peermem or DMA-BUF (`lsmod | grep peermem`), GPU and NIC too far apart \
                      (`nvidia-smi topo -m`), or a GPU, host or instance without it, which is as it must be."
        .to_string();
    finding.hosts = job
        .hosts
        .iter()
        .filter(|(_, facts)| facts.transports.contains_key(&Transport::Net))
        .map(|(host, _)| host.clone())
        .collect();
    Some(finding)
}

/// Path types of `(distance 7 > 4)`, by the release of the host.
fn distance(case: &Case<'_, '_>, host: &str, line: &str) -> Option<(&'static str, &'static str)> {
    let own = case.job.hosts.get(host).and_then(|facts| facts.versions.keys().next());
    let version = own.or_else(|| case.job.hosts.values().find_map(|facts| facts.versions.keys().next()))?;
    let release = Release::parse(version)?;
    let (distance, limit) = after(line, "(distance ")?.split_once(" > ")?;
    Some((path::name(distance.parse().ok()?, release)?, path::name(digits(limit)?, release)?))
}

/// Hosts that differ from most in what should be the same: number of NICs, settings.
pub fn odd_ones(case: &Case<'_, '_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(nics_differ(case));
    findings.extend(nic_speeds_differ(case));
    for name in
        ["NCCL_IB_HCA", "NCCL_SOCKET_IFNAME", "NCCL_IB_GID_INDEX", "NCCL_IB_TC", "NCCL_NET", "NCCL_ALGO", "NCCL_PROTO"]
    {
        let values: BTreeMap<&str, &str> =
            case.job.variable(name).into_iter().map(|(host, value, _)| (host, value)).collect();
        let Some((usual, odd)) = minority(&values) else { continue };
        let evidence = odd.first().map(|host| &case.job.hosts[*host].variables[name].1);
        let mut finding = finding("setting-differs", Severity::Note, evidence, &["nccl-env#in-effect"]);
        finding.message = format!("{name} is {} on most hosts and something else on {}.", foreign(usual), names(&odd));
        finding.advice =
            "Intended where hosts name their devices differently; otherwise set it the same everywhere.".to_string();
        finding.hosts = odd.iter().map(|host| (*host).to_string()).collect();
        findings.push(finding);
    }
    findings
}

/// Hosts use fewer NICs than others. Evidence: their device lists.
fn nics_differ(case: &Case<'_, '_>) -> Option<Finding> {
    let hosts = case.job.hosts.iter().filter(|(_, facts)| !facts.hcas.is_empty());
    let counts: BTreeMap<&str, usize> = hosts.map(|(host, facts)| (host.as_str(), facts.hcas.len())).collect();
    let most = counts.values().copied().max()?;
    let fewer: Vec<&str> = counts.iter().filter(|(_, count)| **count < most).map(|(host, _)| *host).collect();
    let first = *fewer.first()?;
    let facts = &case.job.hosts[first];
    let parts = ["nccl-transports#hca", "nccl-env#hca-prefix", "network-config-host#port-not-active"];
    let mut finding = finding("nics-differ", Severity::Warning, facts.hcas_line.as_ref(), &parts);
    let asked = facts.variables.get("NCCL_IB_HCA").map_or(String::new(), |(value, _)| {
        format!(
            " NCCL_IB_HCA is {}: names of it that do not exist or match on a host are skipped without a word.",
            foreign(value)
        )
    });
    finding.message = format!(
        "{} uses {} NICs ({}) where other hosts use {most}; the host with fewer sets the pace of all.{asked}",
        names(&fewer),
        facts.hcas.len(),
        devices(&facts.hcas)
    );
    finding.advice = "On that host: `ibdev2netdev` or `ibv_devinfo`: are all ports ACTIVE, are the devices passed into the container, do they have the same \
                      names as elsewhere? Where the names differ, give each host its own list (/etc/nccl.conf) or rename the devices."
        .to_string();
    finding.hosts = fewer.iter().map(|host| (*host).to_string()).collect();
    Some(finding)
}

/// A port that is slower than others of the job. Evidence: rates of the network's lines or of the topology. It is a note where the channels
/// show that no slow one is used.
fn nic_speeds_differ(case: &Case<'_, '_>) -> Option<Finding> {
    let hosts = case.job.hosts.iter().filter(|(_, facts)| !facts.hcas.is_empty());
    let mut ports: Vec<(&str, usize, &str, u64)> = Vec::new();
    for (host, facts) in hosts {
        for (number, hca) in facts.hcas.iter().enumerate() {
            if let Some(speed) = facts.nics.speed(hca) {
                ports.push((host, number, hca, speed));
            }
        }
    }
    let fastest = ports.iter().map(|(.., speed)| *speed).max()?;
    let slow: Vec<_> = ports.into_iter().filter(|(.., speed)| *speed < fastest).collect();
    let (host, ..) = *slow.first()?;
    let is_idle = |(host, number, ..): &(&str, usize, &str, u64)| {
        let used = &case.job.hosts[*host].nics.used;
        !used.is_empty() && !used.contains(&(*number as u32))
    };
    let severity = if slow.iter().all(is_idle) { Severity::Note } else { Severity::Warning };
    let read = ["bandwidth-reference#network", "rail-topology#mismatched-nics", "nccl-env#NCCL_IB_HCA"];
    let mut finding = finding("nic-speeds-differ", severity, case.job.hosts[host].hcas_line.as_ref(), &read);
    let named: Vec<String> = slow
        .iter()
        .map(|(host, _, hca, speed)| format!("{} on {} at {} Gb/s", foreign(hca), foreign(host), speed / 1000))
        .collect();
    finding.message = format!(
        "NICs of the job have different rates: {}, others {} Gb/s. A ring is as fast as its slowest NIC.",
        list(&named),
        fastest / 1000
    );
    finding.advice = "A port below its rate: `ibstat` or `mlxlink -d DEVICE` there (speed and width), cable, transceiver, switch port. Slower NICs by design \
                      (storage, management): leave them out with NCCL_IB_HCA."
        .to_string();
    let hosts: BTreeSet<&str> = slow.iter().map(|(host, ..)| *host).collect();
    finding.hosts = hosts.into_iter().map(str::to_string).collect();
    Some(finding)
}

/// The value of most hosts, and the hosts with another; none when all agree or there is no majority.
fn minority<'h, T: Ord + Copy>(values: &BTreeMap<&'h str, T>) -> Option<(T, Vec<&'h str>)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for value in values.values() {
        *counts.entry(*value).or_default() += 1;
    }
    let (usual, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let odd: Vec<&str> = values.iter().filter(|(_, value)| **value != usual).map(|(host, _)| *host).collect();
    (!odd.is_empty() && count > odd.len()).then_some((usual, odd))
}
