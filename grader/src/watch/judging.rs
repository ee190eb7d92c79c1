//! The judge's side of `watch`: one thread that stays, with the next workers ready, and judges what it is told to.
//!
//! It knows no terminal. What it finds goes back as [`News`], each case as soon as it is known. An order may be
//! interrupted; what comes of it afterwards is nobody's.

use std::{
    cell::RefCell,
    sync::{Mutex, PoisonError, mpsc::Receiver},
};

use harness::{
    device::{DeviceChoice, GpuInfo},
    exercise::{Exercise, On},
    judge::{self, CheckOptions, KeptPlans, Kernel, Onlooker},
    report::{CaseReport, Goal, Report},
    toolchain::Toolchain,
    worker::{Interrupt, standby},
};

use super::early;
use crate::thresholds::demand::{Here, Said};

/// A kernel to judge.
pub struct Order<'a> {
    /// News of it carry this number.
    pub number: u64,
    /// The exercise.
    pub exercise: &'a dyn Exercise,
    /// The kernel.
    pub kernel: Kernel,
    /// The number of the case to begin with.
    pub first: usize,
    /// What stops it.
    pub interrupt: Interrupt,
}

/// What became known of an order.
pub enum News {
    /// What the judge is doing, in a few words.
    Doing(String),
    /// Some of the cases are judged: all that is known of the kernel.
    SomeCases(Box<Report>),
    /// The verdict, where `timing` is false; otherwise all but the speed, which is being measured.
    Report { report: Box<Report>, timing: bool },
}

/// What stays the same from order to order.
pub struct Bench {
    /// Where.
    pub device: DeviceChoice,
    /// The GPU among it.
    pub gpu: Option<GpuInfo>,
    /// The compiler.
    pub toolchain: Toolchain,
}

/// Judges one order after the other until nobody can give any more.
pub fn serve(bench: &Bench, orders: &Receiver<Order<'_>>, tell: impl Fn(u64, News) + Sync) {
    standby::keep();
    let plans = KeptPlans::default();
    while let Ok(order) = orders.recv() {
        order.interrupt.install();
        judge(bench, &plans, &order, &|news| tell(order.number, news));
        standby::refill();
    }
}

fn judge(bench: &Bench, plans: &KeptPlans, order: &Order<'_>, tell: &(impl Fn(News) + Sync)) {
    let Order { exercise, kernel, .. } = order;
    let mut options = CheckOptions {
        device: bench.device.clone(),
        toolchain: Some(bench.toolchain.clone()),
        skip_speed: bench.gpu.is_some(),
        plans: Some(plans.clone()),
        // A key shows the profile of what was judged last.
        worst_requests: true,
        ..CheckOptions::default()
    };
    let doing = |doing: &str| tell(News::Doing(doing.to_owned()));
    let known: Mutex<Vec<CaseReport>> = Mutex::default();
    let seen = |case: &CaseReport| {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        early::learn(&mut known, case);
        tell(News::SomeCases(Box::new(early::report(*exercise, kernel, &known))));
    };
    let onlooker = Onlooker { first: order.first, seen: &seen };
    let report = judge::check_before(*exercise, kernel, &options, &doing, Some(onlooker));
    let timed = bench.gpu.is_some() && exercise.cases().iter().any(|case| case.on == On::GpuTimed);
    let right = report.goals.iter().all(|goal| goal.goal != Goal::Compile && !goal.has_failed());
    let timing = timed && right && report.judge_error.is_none() && !order.interrupt.is_asked();
    tell(News::Report { report: Box::new(report.clone()), timing });
    if !timing {
        return;
    }
    doing("measuring the speed");
    let here = Here { gpu: bench.gpu.as_ref(), toolchain: &bench.toolchain, again: false };
    // Nothing but the screen may write to the terminal now.
    let remarks = RefCell::new(Vec::new());
    let asked = here.asked_and_told(*exercise, &|said| match said {
        Said::Doing(what) => doing(&what),
        Said::Remark(remark) => remarks.borrow_mut().push(remark),
    });
    options.skip_speed = false;
    options.only_speed = true;
    asked.set(&mut options);
    options.notes.extend(remarks.into_inner());
    let timed = match asked.broken {
        Some(why) => judge::not_begun(*exercise, kernel, &options, why),
        None => judge::check(*exercise, kernel, &options, &doing),
    };
    tell(News::Report { report: Box::new(report.with_speed(timed)), timing: false });
}
