//! Findings of many cases as one list: the same defect at the same lines is one finding with a summed count.

use warpsim::{Finding, FindingKind, Place, Severity};

/// Adds findings to a list, merging those of the same kind, severity and places. The first example is kept.
pub(super) fn merge(into: &mut Vec<Finding>, from: &[Finding]) {
    for finding in from {
        match into.iter_mut().find(|known| key(known) == key(finding)) {
            Some(known) => known.count += finding.count,
            None => into.push(finding.clone()),
        }
    }
}

/// Errors first, then by line. Of a line a wrong address comes first, of which a race may come; then what knows its
/// other side, of which the rest may come.
pub(super) fn sort(findings: &mut [Finding]) {
    fn rank(finding: &Finding) -> impl Ord + '_ {
        let Finding { kind, severity, place, other, .. } = finding;
        let line = place.as_ref().map(|place| (&place.file, place.line));
        let is_wrong_address = matches!(kind, FindingKind::OutOfBounds | FindingKind::Misaligned);
        (*severity, line.is_none(), line, !is_wrong_address, place, *kind, other.is_none(), other)
    }
    findings.sort_by(|a, b| rank(a).cmp(&rank(b)));
}

fn key(finding: &Finding) -> (FindingKind, Severity, &Option<Place>, &Option<Place>, Option<&str>) {
    // Without a place the allocation is all that tells two defects apart.
    let allocation = match finding.place {
        Some(_) => None,
        None => finding.allocation.as_ref().map(|allocation| allocation.name.as_str()),
    };
    (finding.kind, finding.severity, &finding.place, &finding.other, allocation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(line: u32, severity: Severity, count: u64) -> Finding {
        let mut finding = Finding::new(FindingKind::Race, severity, "");
        finding.place = Some(Place { file: "kernel.cu".into(), line, column: 1 });
        finding.count = count;
        finding
    }

    #[test]
    fn counts_add_up_and_errors_come_first() {
        let mut all = vec![finding(3, Severity::Warning, 1)];
        merge(&mut all, &[finding(9, Severity::Error, 2), finding(3, Severity::Warning, 5)]);
        merge(&mut all, &[finding(9, Severity::Error, 4)]);
        sort(&mut all);
        let seen: Vec<_> = all.iter().map(|f| (f.severity, f.count)).collect();
        assert_eq!(seen, [(Severity::Error, 6), (Severity::Warning, 6)]);
    }

    #[test]
    fn of_one_line_a_wrong_address_comes_before_the_race_that_comes_of_it() {
        let mut stray = finding(3, Severity::Error, 1);
        stray.kind = FindingKind::OutOfBounds;
        let mut all = vec![finding(3, Severity::Error, 2), stray, finding(2, Severity::Error, 3)];
        sort(&mut all);
        assert_eq!(all.iter().map(|f| f.count).collect::<Vec<_>>(), [3, 1, 2]);
    }

    #[test]
    fn what_knows_its_other_side_comes_first() {
        let mut both = finding(3, Severity::Error, 2);
        both.other = Some(Place { file: "kernel.cu".into(), line: 1, column: 1 });
        let mut all = vec![finding(3, Severity::Error, 1), both];
        sort(&mut all);
        assert_eq!(all.iter().map(|f| f.count).collect::<Vec<_>>(), [2, 1]);
    }
}
