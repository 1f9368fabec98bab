//! Values that say themselves whether they are whole.

/// The value with a number: its size and its bytes follow from the number.
pub(crate) fn make(number: u64) -> Vec<u8> {
    let size = 100 + usize::try_from(number.wrapping_mul(7919) % 6000).unwrap_or(0);
    let mut value = number.to_le_bytes().to_vec();
    let start = number.to_le_bytes()[0];
    value.extend((0_u8..=u8::MAX).cycle().map(|at| at.wrapping_add(start)).take(size));
    value
}

/// The number of a value, if the value is whole.
pub(crate) fn read(value: &[u8]) -> Option<u64> {
    let number = u64::from_le_bytes(*value.first_chunk()?);
    (make(number) == value).then_some(number)
}
