//! temp
use crate::{device::*, measure};
pub(crate) fn gpus() -> Result<Vec<GpuInfo>, String> {
    Err("no GPU".into())
}
pub(crate) fn open(_: &str, _: &Code) -> Result<(), String> {
    Err("no GPU".into())
}
pub(crate) fn execute(request: &Request, _: &str) -> Vec<Execution> {
    request.jobs.iter().map(|_| Execution::ended(Status::Error("no GPU".into()))).collect()
}
pub(crate) fn measure(_: &measure::Request) -> Result<measure::Measured, measure::Stopped> {
    Err(measure::Stopped::Judge("no GPU".into()))
}
