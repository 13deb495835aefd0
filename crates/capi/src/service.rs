//! A service for the calls of many threads.

use crate::error::{cs_error, cs_error::*, entry};
use crate::jobs::cs_job;
use crate::memory::{changed, free, give, object, place};
use carrysave::engine::{Metrics, Service, ServiceOptions};
use carrysave::team::MAX_THREADS;
use core::time::Duration;

/// Groups the calls of many threads: a call that finds a processor free runs at once on its own thread, and calls that
/// wait run side by side.
///
/// Threads: any number may use one service at once; one frees it.
pub struct cs_service(Service);

/// Starts a service: `threads` of callers and of the service compute at a time, 1 to 1024; 0 is the number of
/// processors, at most 1024. A call waits at most `wait_us` microseconds for others to join it, up to 1000000, and a lone
/// one never; 50 are usual.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_service_new(
    threads: usize,
    wait_us: u64,
    service: *mut *mut cs_service,
) -> cs_error {
    entry! {
        give(service, || {
            let mut options = ServiceOptions { wait: Duration::from_micros(wait_us), ..Default::default() };
            options.threads = match threads {
                0 => options.threads.min(MAX_THREADS),
                1..=MAX_THREADS => threads,
                _ => return Err(CS_ERROR_ARGUMENT),
            };
            if wait_us > 1_000_000 {
                return Err(CS_ERROR_ARGUMENT);
            }
            Service::new(options).map(cs_service).map_err(|_| CS_ERROR_SYSTEM)
        })
    }
}

/// Runs one job, alone or together with those of other threads, and returns its status when its result is there.
///
/// Threads: any number at once, with different jobs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_service_run(service: *const cs_service, job: *mut cs_job) -> cs_error {
    entry! {
        changed(job)?.settle(|job| {
            let output = object(service)?.0.run(job.task()?)?;
            job.finish(output)
        })
    }
}

/// Refuses new calls from now on with `CS_ERROR_SHUT_DOWN`, and returns when all pending ones have their results.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_service_shutdown(service: *const cs_service) -> cs_error {
    entry! {
        object(service)?.0.shutdown();
        Ok(())
    }
}

/// What a service has done.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct cs_service_counters {
    /// Jobs that ran, including those that failed.
    pub jobs: u64,
    /// Groups in which they ran.
    pub groups: u64,
    /// Calls that wait for a group at this moment.
    pub queued: u64,
    /// The time from a call to the start of its group, summed over all calls, in nanoseconds.
    pub queue_ns: u64,
    /// The longest of these times.
    pub queue_ns_max: u64,
}

impl From<Metrics> for cs_service_counters {
    fn from(metrics: Metrics) -> cs_service_counters {
        cs_service_counters {
            jobs: metrics.jobs,
            groups: metrics.groups,
            queued: metrics.queued as u64,
            queue_ns: metrics.queue_total.as_nanos() as u64,
            queue_ns_max: metrics.queue_max.as_nanos() as u64,
        }
    }
}

/// Reads the counters of a service.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_service_count(
    service: *const cs_service,
    counters: *mut cs_service_counters,
) -> cs_error {
    entry! { place(counters)?.write(&[object(service)?.0.metrics().into()]) }
}

/// Ends the threads of a service and frees it; null is nothing. Nobody may use it any more.
///
/// Threads: one, the last to use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cs_service_free(service: *mut cs_service) {
    // SAFETY: as the header says.
    unsafe { free(service) }
}
