//! A kernel takes what its exercise passes: as many parameters, of the same sizes. Anything else is a changed
//! signature, which is told before the first launch, with the stub's.

use crate::plan::{Argument, Plan, Step};

use super::constants::Interface;

/// What differs, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub found: String,
    pub next_step: String,
}

/// The first launch whose arguments are not the kernel's parameters.
pub(super) fn mismatch(plan: &Plan, interface: &Interface, stub: &str) -> Option<Mismatch> {
    plan.steps.iter().find_map(|step| {
        let Step::Launch(launch) = step else { return None };
        let takes = interface.parameters.get(&launch.kernel)?;
        let passed: Vec<usize> = launch.arguments.iter().map(bytes).collect();
        let found = differs(&launch.kernel, takes, &passed)?;
        let next_step = match declaration(stub, &launch.kernel) {
            Some(declaration) => format!("Give it the stub's parameters: {declaration}."),
            None => format!("Give `{}` the parameters that it has in the stub.", launch.kernel),
        };
        Some(Mismatch { found, next_step })
    })
}

fn differs(kernel: &str, takes: &[usize], passed: &[usize]) -> Option<String> {
    if takes.len() != passed.len() {
        let plural = if takes.len() == 1 { "" } else { "s" };
        return Some(format!(
            "`{kernel}` takes {} parameter{plural}, and the exercise passes {}",
            takes.len(),
            passed.len()
        ));
    }
    let (index, (takes, passed)) = takes.iter().zip(passed).enumerate().find(|(_, (a, b))| a != b)?;
    Some(format!(
        "parameter {} of `{kernel}` has {takes} bytes, and the exercise passes one of {passed}",
        index + 1
    ))
}

fn bytes(argument: &Argument) -> usize {
    match argument {
        Argument::Buffer { .. } | Argument::Null | Argument::Texture { .. } | Argument::Surface { .. } => {
            size_of::<u64>()
        }
        Argument::Scalar(bytes) => bytes.len(),
        Argument::TensorMap { .. } => 128,
    }
}

/// `name(…)` as the stub declares the kernel, on one line.
fn declaration(stub: &str, name: &str) -> Option<String> {
    let wanted = format!("{name}(");
    stub.split("__global__").skip(1).find_map(|kernel| {
        let declared = kernel.split(['{', ';']).next()?;
        let from = &declared[declared.find(&wanted)?..];
        let declaration = &from[..=from.find(')')?];
        Some(declaration.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Element, Fill, Launch};

    const STUB: &str = "// k(x) is the task.\nextern \"C\" __global__ void k(const float *in,\n                             int n) {\n}\n";

    fn plan() -> Plan {
        let mut plan = Plan::new();
        let input = plan.buffer("in", Element::F32, &[4], Fill::Zeros);
        plan.launch(Launch::new("k", 1, 32).buffers([input]).ints([4]));
        plan
    }

    fn taking(parameters: &str) -> Option<Mismatch> {
        let interface = Interface::of(&format!(".visible .entry k(\n{parameters})\n{{\n"));
        mismatch(&plan(), &interface, STUB)
    }

    #[test]
    fn the_stubs_parameters_are_right() {
        assert_eq!(taking("\t.param .u64 .ptr .align 1 k_param_0,\n\t.param .u32 k_param_1\n"), None);
    }

    #[test]
    fn another_number_of_parameters_is_told_with_the_stubs() {
        let mismatch = taking("\t.param .u64 .ptr .align 1 k_param_0\n").unwrap();
        assert_eq!(mismatch.found, "`k` takes 1 parameter, and the exercise passes 2");
        assert_eq!(mismatch.next_step, "Give it the stub's parameters: k(const float *in, int n).");
    }

    #[test]
    fn another_size_is_told_with_its_place() {
        let found = |parameters| taking(parameters).unwrap().found;
        assert_eq!(
            found("\t.param .u64 k_param_0,\n\t.param .f64 k_param_1\n"),
            "parameter 2 of `k` has 8 bytes, and the exercise passes one of 4"
        );
        assert_eq!(
            found("\t.param .align 8 .b8 k_param_0[24],\n\t.param .u32 k_param_1\n"),
            "parameter 1 of `k` has 24 bytes, and the exercise passes one of 8"
        );
    }
}
