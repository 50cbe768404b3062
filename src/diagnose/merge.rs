//! Jobs of single logs -> the job of all.

use std::collections::BTreeMap;

use super::job::{Evidence, Host, Job, Seen};

impl Job {
    /// Adds the job of another log, as if that log had been read after this one's. `files` is the number of files read so far.
    pub fn merge(&mut self, mut other: Job, files: usize) {
        let shift = self.lines_read();
        other.each_evidence(|evidence| {
            evidence.order = evidence.order.saturating_add(shift);
            evidence.place.file = evidence.place.file.saturating_add(files);
        });
        self.add_lines(other.lines_read());
        // A digest may say any number.
        self.nccl_lines = self.nccl_lines.saturating_add(other.nccl_lines);
        self.progress = self.progress.saturating_add(other.progress);
        self.ranks = self.ranks.max(other.ranks);
        self.nodes = self.nodes.max(other.nodes);
        // `append` would build the whole set anew for each log.
        self.started.extend(other.started);
        self.completed.extend(other.completed);
        self.names_nccl = self.names_nccl.take().or(other.names_nccl);
        self.first_start = self.first_start.take().or(other.first_start);
        self.plugin_failed = self.plugin_failed.take().or(other.plugin_failed);
        self.plugin_loaded = self.plugin_loaded.take().or(other.plugin_loaded);
        self.interrupted = self.interrupted.take().or(other.interrupted);
        self.wrong_results = match (self.wrong_results.take(), other.wrong_results) {
            (Some((count, first)), Some((more, _))) => Some((count + more, first)),
            (one, other) => one.or(other),
        };
        self.completions.append(&mut other.completions);
        self.port_errors.append(&mut other.port_errors);
        self.connects.append(&mut other.connects);
        self.modify_qp.append(&mut other.modify_qp);
        self.died.append(&mut other.died);
        self.unanswered.append(&mut other.unanswered);
        for timed_out in other.timed_out {
            self.time_out(timed_out);
        }
        self.launched_with.extend(other.launched_with);
        for (name, host) in other.hosts {
            self.hosts.entry(name).or_default().merge(host);
        }
        self.tuning.merge(other.tuning);
        merge_seen(&mut self.seen, other.seen);
        merge_seen(&mut self.unknown, other.unknown);
        self.connected |= other.connected;
        self.roots.append(&mut other.roots);
        for (host, evidence) in other.far {
            self.far.entry(host).or_insert(evidence);
        }
    }

    /// All evidence, to be changed.
    fn each_evidence(&mut self, mut change: impl FnMut(&mut Evidence)) {
        let hosts = self.hosts.values_mut().flat_map(|host| {
            let versions = host.versions.values_mut();
            let settings = host.variables.values_mut().map(|(_, evidence)| evidence);
            let transports = host.transports.values_mut().map(|seen| &mut seen.first);
            let bootstrap = host.bootstrap.iter_mut().map(|(_, _, evidence)| evidence);
            let networks = host.networks.values_mut();
            versions.chain(settings).chain(transports).chain(bootstrap).chain(networks).chain(&mut host.hcas_line)
        });
        hosts
            .chain(self.seen.values_mut().map(|seen| &mut seen.first))
            .chain(self.unknown.values_mut().map(|seen| &mut seen.first))
            .chain(self.roots.iter_mut().map(|(_, _, evidence)| evidence))
            .chain(&mut self.names_nccl)
            .chain(&mut self.first_start)
            .chain(&mut self.interrupted)
            .chain(self.wrong_results.iter_mut().map(|(_, evidence)| evidence))
            .chain(&mut self.plugin_failed)
            .chain(self.plugin_loaded.iter_mut().map(|(_, evidence)| evidence))
            .chain(self.completions.iter_mut().map(|completion| &mut completion.evidence))
            .chain(self.port_errors.iter_mut().map(|(_, evidence)| evidence))
            .chain(self.connects.iter_mut().map(|(_, _, evidence)| evidence))
            .chain(self.modify_qp.iter_mut().map(|(_, evidence)| evidence))
            .chain(self.died.iter_mut().map(|died| &mut died.evidence))
            .chain(self.unanswered.iter_mut().map(|(_, _, evidence)| evidence))
            .chain(self.timed_out.iter_mut().map(|timed_out| &mut timed_out.evidence))
            .chain(self.launched_with.values_mut().map(|(_, evidence)| evidence))
            .chain(self.far.values_mut())
            .for_each(&mut change);
    }
}

impl Host {
    fn merge(&mut self, other: Host) {
        keep_first(&mut self.versions, other.versions);
        keep_first(&mut self.networks, other.networks);
        keep_first(&mut self.variables, other.variables);
        self.bootstrap = self.bootstrap.take().or(other.bootstrap);
        self.hcas_line = self.hcas_line.take().or(other.hcas_line);
        // The latest list counts, as while reading.
        if !other.hcas.is_empty() {
            self.hcas = other.hcas;
        }
        if !other.interfaces.is_empty() {
            self.interfaces = other.interfaces;
        }
        self.nics.merge(other.nics);
        merge_seen(&mut self.transports, other.transports);
    }
}

fn keep_first<K: Ord, V>(known: &mut BTreeMap<K, V>, other: BTreeMap<K, V>) {
    for (key, value) in other {
        known.entry(key).or_insert(value);
    }
}

fn merge_seen<K: Ord>(known: &mut BTreeMap<K, Seen>, other: BTreeMap<K, Seen>) {
    for (key, seen) in other {
        match known.get_mut(&key) {
            Some(known) => known.merge(seen),
            None => {
                known.insert(key, seen);
            }
        }
    }
}
