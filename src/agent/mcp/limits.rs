//! What one call may cost. Work runs beside the protocol and cannot be interrupted from outside: it looks whether it is still wanted wherever it
//! reads, and reads no more than a bound.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use tokio::sync::Semaphore;

/// A call that takes longer is given up.
pub const LONGEST_CALL: Duration = Duration::from_secs(30);

/// So many calls run at once; others wait.
pub const CALLS_AT_ONCE: usize = 4;

/// Of a larger file the beginning is read; of a compressed one, so much of what it unpacks to.
pub const MOST_BYTES: u64 = 256 << 20;

/// Set when nobody waits for the answer any more.
#[derive(Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whoever waits for an answer; work is to stop when it goes.
struct Waiting(Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        (self.0).0.store(true, Ordering::Relaxed);
    }
}

/// Threads for work, beside that of the protocol.
pub struct Workers(Arc<Semaphore>);

impl Workers {
    pub fn new() -> Self {
        Workers(Arc::new(Semaphore::new(CALLS_AT_ONCE)))
    }

    /// Waits for a worker, and for what it makes of the work, each at most `longest`: work that was given up holds its worker until it looks whether it is
    /// still wanted. Says why when there is no result. The work is stopped when this is dropped.
    pub async fn run<T: Send + 'static>(
        &self,
        longest: Duration,
        work: impl FnOnce(&Stop) -> T + Send + 'static,
    ) -> Result<T, String> {
        let worker = tokio::time::timeout(longest, Arc::clone(&self.0).acquire_owned()).await;
        let Ok(worker) = worker.map(|worker| worker.expect("nobody closes it")) else {
            return Err("other calls take all the time of this server: try again later".to_string());
        };
        let stop = Stop::default();
        let waiting = Waiting(stop.clone());
        let running = tokio::task::spawn_blocking(move || {
            let result = work(&stop);
            drop(worker);
            result
        });
        let result = tokio::time::timeout(longest, running).await;
        drop(waiting);
        match result {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(_)) => Err("the call failed, which is a fault of rdmanav".to_string()),
            Err(_) => Err(format!(
                "stopped after {} seconds: give a shorter piece of the text, or use the command line, as in rdmanav diagnose FILE",
                longest.as_secs()
            )),
        }
    }
}

/// An input that ends after so many bytes, and fails once its work is to stop.
pub struct Bounded<R> {
    input: R,
    left: u64,
    stop: Stop,
    /// There was more than the bound.
    pub is_cut: bool,
}

impl<R: Read> Bounded<R> {
    pub fn new(input: R, most: u64, stop: &Stop) -> Self {
        Bounded { input, left: most, stop: stop.clone(), is_cut: false }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.is_set() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "stopped"));
        }
        if self.left == 0 {
            self.is_cut = self.is_cut || self.input.read(&mut [0])? > 0;
            return Ok(0);
        }
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.input.read(&mut buffer[..room])?;
        self.left -= count as u64;
        Ok(count)
    }
}

/// The content of a file, unpacked when it is compressed, up to `most` bytes.
pub fn unpacked<'a>(file: impl Read + 'a, most: u64, stop: &Stop) -> io::Result<Bounded<Box<dyn Read + 'a>>> {
    let is_gzip = |start: &[u8]| start.starts_with(&[0x1f, 0x8b]);
    // What is compressed is bounded, too: it may unpack to nothing.
    let mut packed = BufReader::new(Bounded::new(file, most, stop));
    let content: Box<dyn Read> = if is_gzip(packed.fill_buf()?) {
        let mut content = BufReader::new(MultiGzDecoder::new(packed));
        // A reader of logs would unpack it once more, and count nothing.
        if is_gzip(content.fill_buf()?) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is compressed twice: unpack it"));
        }
        Box::new(content)
    } else {
        Box::new(packed)
    };
    Ok(Bounded::new(content, most, stop))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(file: &[u8], most: u64) -> (usize, bool) {
        let mut input = unpacked(file, most, &Stop::default()).unwrap();
        let mut content = Vec::new();
        input.read_to_end(&mut content).unwrap();
        (content.len(), input.is_cut)
    }

    #[test]
    fn what_is_unpacked_is_bounded() {
        let bomb = packed(&vec![b'x'; 1 << 20]);
        assert!(bomb.len() < 10_000);
        for (file, length) in [(&bomb[..], 1 << 20), (&bomb.repeat(3)[..], 3 << 20), (&[b'x'; 5000][..], 5000)] {
            assert_eq!(
                read(file, 4000.max(file.len() as u64)),
                (length.min(4000.max(file.len())), length > file.len())
            );
            assert_eq!(read(file, 1 << 30), (length, false));
            assert_eq!(read(file, length as u64), (length, false));
        }
        // Unpacks to nothing, however long it is.
        let empty = packed(b"").repeat(10_000);
        let mut input = unpacked(&empty[..], 1000, &Stop::default()).unwrap();
        let mut content = Vec::new();
        let _ = input.read_to_end(&mut content);
        assert!(content.is_empty() && empty.len() > 100_000);
    }

    #[test]
    fn what_is_compressed_twice_is_refused() {
        assert!(unpacked(&packed(&packed(b"x"))[..], 1000, &Stop::default()).is_err());
    }

    /// Work that ends only when it is stopped.
    fn endless(stop: &Stop) {
        let mut input = Bounded::new(io::repeat(b'x'), u64::MAX, stop);
        assert!(io::copy(&mut input, &mut io::sink()).is_err());
    }

    #[test]
    fn work_is_stopped_after_its_time_and_when_nobody_waits() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let workers = Workers::new();
            assert_eq!(workers.run(LONGEST_CALL, |_| 7).await, Ok(7));
            let short = Duration::from_millis(20);
            assert!(workers.run(short, endless).await.is_err_and(|why| why.starts_with("stopped after 0 seconds")));
            // Given up by its caller, as when a request is called off.
            assert!(tokio::time::timeout(short, workers.run(LONGEST_CALL, endless)).await.is_err());
            // All workers are free again.
            let _all = workers.0.acquire_many(CALLS_AT_ONCE as u32).await.unwrap();
        });
    }

    #[test]
    fn reading_fails_once_nobody_waits() {
        let stop = Stop::default();
        let file = packed(&vec![b'x'; 1 << 20]);
        let mut input = unpacked(&file[..], 1 << 30, &stop).unwrap();
        let mut buffer = [0; 100];
        assert!(input.read(&mut buffer).unwrap() > 0);
        drop(Waiting(stop));
        assert_eq!(input.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
