//! Schedules of cron jobs: five fields of minutes, hours, days, months and weekdays, or a word such as `@daily`.
//!
//! In goes the text; out comes what is wrong with it in the words of the server's parser.

use crate::scalar;
use crdkit_text::quote::quote;

/// The values that a field can have, and names for them.
struct Bounds {
    min: i64,
    max: i64,
    names: &'static [&'static str],
}

const FIELDS: [Bounds; 5] = [
    Bounds { min: 0, max: 59, names: &[] },
    Bounds { min: 0, max: 23, names: &[] },
    Bounds { min: 1, max: 31, names: &[] },
    Bounds {
        min: 1,
        max: 12,
        names: &[
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ],
    },
    Bounds { min: 0, max: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/// Why `text` is no schedule.
pub(crate) fn problem(text: &str) -> Option<String> {
    // Zones are refused elsewhere.
    let zoned = text.starts_with("TZ=") || text.starts_with("CRON_TZ=");
    let text = if zoned { text.split_once(' ').map_or("", |(_, rest)| rest).trim() } else { text };
    if text.starts_with('@') {
        return word_problem(text);
    }
    let fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let found = fields.len();
        return Some(format!("expected exactly 5 fields, found {found}: [{}]", fields.join(" ")));
    }
    let ranges = fields.iter().zip(&FIELDS).flat_map(|(field, bounds)| {
        field.split(',').filter(|range| !range.is_empty()).map(move |range| (range, bounds))
    });
    ranges.map(|(range, bounds)| range_problem(range, bounds)).find_map(Result::err)
}

fn word_problem(text: &str) -> Option<String> {
    const WORDS: [&str; 7] =
        ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
    if WORDS.contains(&text) {
        return None;
    }
    match text.strip_prefix("@every ") {
        Some(duration) => {
            let problem = scalar::duration(duration).err()?;
            Some(format!("failed to parse duration {text}: {problem}"))
        }
        None => Some(format!("unrecognized descriptor: {text}")),
    }
}

/// Looks at `low-high/step`, of which only `low` must be there.
fn range_problem(range: &str, bounds: &Bounds) -> Result<(), String> {
    let mut halves = range.split('/');
    let ends: Vec<&str> = halves.next().unwrap_or_default().split('-').collect();
    let steps: Vec<&str> = halves.collect();
    let (start, mut end) = match ends.as_slice() {
        ["*" | "?", ..] => (bounds.min, bounds.max),
        [only] => {
            let number = number_or_name(only, bounds)?;
            (number, number)
        }
        [low, high] => (number_or_name(low, bounds)?, number_or_name(high, bounds)?),
        [low, ..] => {
            number_or_name(low, bounds)?;
            return Err(format!("too many hyphens: {range}"));
        }
        [] => return Ok(()),
    };
    let step = match steps.as_slice() {
        [] => 1,
        [step] => {
            let step = number(step)?;
            if ends.len() == 1 {
                end = bounds.max;
            }
            step
        }
        _ => return Err(format!("too many slashes: {range}")),
    };
    let Bounds { min, max, .. } = bounds;
    if start < *min {
        Err(format!("beginning of range ({start}) below minimum ({min}): {range}"))
    } else if end > *max {
        Err(format!("end of range ({end}) above maximum ({max}): {range}"))
    } else if start > end {
        Err(format!("beginning of range ({start}) beyond end of range ({end}): {range}"))
    } else if step == 0 {
        Err(format!("step of range should be a positive number: {range}"))
    } else {
        Ok(())
    }
}

fn number_or_name(text: &str, bounds: &Bounds) -> Result<i64, String> {
    let lower = text.to_lowercase();
    match bounds.names.iter().position(|name| *name == lower) {
        Some(at) => Ok(bounds.min + i64::try_from(at).unwrap_or_default()),
        None => number(text),
    }
}

fn number(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<i64>() {
        Ok(number) if number < 0 => Err(format!("negative number ({number}) not allowed: {text}")),
        Ok(number) => Ok(number),
        Err(_) => {
            let problem = if is_number { "value out of range" } else { "invalid syntax" };
            let parsing = quote(text);
            Err(format!(
                "failed to parse int from {text}: strconv.Atoi: parsing {parsing}: {problem}"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn schedules_are_told_from_other_texts() {
        let fine =
            ["*/5 * * * *", "0 2 1-15,20 jan-MAR sun", "@daily", "@every 1h30m", "?/2 0 1 1 0"];
        for text in fine {
            assert_eq!(problem(text), None, "{text}");
        }
        let wrong = [
            ("every hour", "expected exactly 5 fields, found 2: [every hour]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            (
                "H 2 * * *",
                "failed to parse int from H: strconv.Atoi: parsing \"H\": invalid syntax",
            ),
            ("@reboot", "unrecognized descriptor: @reboot"),
        ];
        for (text, expected) in wrong {
            assert_eq!(problem(text).as_deref(), Some(expected));
        }
    }
}
