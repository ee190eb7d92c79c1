//! The page of figures in circulation: what is said is a template's, what is measured is a record's.

use std::fmt;

use minijinja::{Environment, Error, ErrorKind};

use crate::record::Record;

/// What stands where the record has no such figure.
const NOT_MEASURED: &str = "not measured";

/// Fills in a template. It may ask `figure(NAME)`, `how(NAME)`, `ratio(NAME, NAME)` of the record's figures, `speedup(KERNEL)` over
/// the baseline, and `against(KERNEL, KERNEL)` of the same exercise.
///
/// # Errors
/// A defect of the template: no such function, or a name that no record could have.
pub fn page(template: &str, record: &Record) -> Result<String, Error> {
    let figures: Vec<(String, f64, String, String)> = record
        .figures
        .iter()
        .map(|figure| (figure.figure.clone(), figure.value, figure.unit.clone(), figure.how.clone()))
        .collect();
    let speedups: Vec<(String, f64)> = record
        .kernels
        .iter()
        .filter_map(|kernel| {
            Some((kernel.candidate.file.display().to_string(), kernel.speed.first()?.speedup))
        })
        .collect();
    let find = move |name: &str| figures.iter().find(|figure| figure.0 == name).cloned();
    let speedup =
        move |kernel: &str| speedups.iter().find(|(file, _)| file == kernel).map(|(_, speedup)| *speedup);

    let mut environment = Environment::new();
    let found = find.clone();
    environment.add_function("figure", move |name: &str| {
        found(name).map_or(NOT_MEASURED.to_owned(), |(_, value, unit, _)| {
            format!("{} {}", Digits(value), sign(&unit))
        })
    });
    let found = find.clone();
    environment
        .add_function("how", move |name: &str| found(name).map_or(String::new(), |(_, _, _, how)| how));
    environment.add_function("ratio", move |above: &str, below: &str| match (find(above), find(below)) {
        (Some((_, above, unit, _)), Some((_, below, other, _))) if unit == other => Ok(times(above / below)),
        (Some(_), Some(_)) => {
            Err(Error::new(ErrorKind::InvalidOperation, format!("{above} and {below} have different units")))
        }
        _ => Ok(NOT_MEASURED.to_owned()),
    });
    let measured = speedup.clone();
    environment
        .add_function("speedup", move |kernel: &str| measured(kernel).map_or(NOT_MEASURED.to_owned(), times));
    environment.add_function("against", move |kernel: &str, other: &str| {
        match (speedup(kernel), speedup(other)) {
            (Some(kernel), Some(other)) => times(kernel / other),
            _ => NOT_MEASURED.to_owned(),
        }
    });
    environment.render_str(template, ())
}

/// A number with three digits that count, and no more zeros than needed.
struct Digits(f64);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.abs() {
            large if large >= 100.0 => write!(f, "{:.0}", self.0),
            medium if medium >= 10.0 => write!(f, "{:.1}", self.0),
            _ => write!(f, "{:.2}", self.0),
        }
    }
}

fn times(ratio: f64) -> String {
    format!("{}×", Digits(ratio))
}

/// The unit as people write it.
fn sign(unit: &str) -> &str {
    if unit == "us" { "µs" } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FigureRecord;

    fn record() -> Record {
        let figure = |name: &str, value: f64, unit: &str| FigureRecord {
            figure: name.to_owned(),
            value,
            unit: unit.to_owned(),
            how: "a chase".to_owned(),
        };
        Record {
            date: String::new(),
            device: String::new(),
            compiler: String::new(),
            kernels: Vec::new(),
            peers: Vec::new(),
            figures: vec![
                figure("near", 29.04, "cycles"),
                figure("far", 700.0, "cycles"),
                figure("wide", 4.2, "TB/s"),
            ],
        }
    }

    #[test]
    fn figures_are_filled_in() {
        let template = "{{ figure('near') }}, {{ how('far') }}, {{ ratio('far', 'near') }}, {{ figure('none') }}, \
                        {{ speedup('a.cu') }}";
        assert_eq!(
            page(template, &record()).unwrap(),
            "29.0 cycles, a chase, 24.1×, not measured, not measured"
        );
    }

    #[test]
    fn units_that_differ_are_a_defect() {
        assert!(page("{{ ratio('far', 'wide') }}", &record()).is_err());
    }
}
