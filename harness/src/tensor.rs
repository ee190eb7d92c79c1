//! Tensor maps of a plan's buffers: what a map says, for the simulator's own and for the driver's.

use warpsim::{OutsideFill, Swizzle, TensorElement, TensorMap};

use crate::plan::{Buffer, Element, TensorTile};

/// The map of a buffer that lies at this address.
///
/// # Errors
/// Why no driver makes it, in words.
pub fn map(buffer: &Buffer, tile: &TensorTile, address: u64) -> Result<TensorMap, String> {
    let element = match buffer.element {
        // Copies tell no signs of less than a word apart.
        Element::U8 | Element::I8 => TensorElement::U8,
        Element::U16 | Element::I16 => TensorElement::U16,
        Element::U32 => TensorElement::U32,
        Element::I32 => TensorElement::I32,
        Element::U64 => TensorElement::U64,
        Element::I64 => TensorElement::I64,
        Element::F16 => TensorElement::F16,
        Element::Bf16 => TensorElement::Bf16,
        Element::F32 => TensorElement::F32,
        Element::F64 => TensorElement::F64,
    };
    let dims = tile.within(&buffer.shape).map_err(|error| error.to_string())?;
    // A map has the fastest extent first.
    let turned = |extents: &[usize]| extents.iter().rev().map(|&extent| extent as u64).collect::<Vec<_>>();
    let turned_small = |extents: &[u32]| extents.iter().rev().copied().collect::<Vec<_>>();
    let extents = turned_small(&tile.extents);
    let rows = TensorMap::new(element, address, &turned(&buffer.shape), &extents).strides;
    let steps = tile.steps.clone().unwrap_or_else(|| vec![1; dims.len()]);
    let map = TensorMap::new(element, address, &turned(&dims), &extents)
        .with_strides(&rows)
        .with_element_strides(&turned_small(&steps))
        .with_swizzle(match tile.swizzle {
            32 => Swizzle::Bytes32,
            64 => Swizzle::Bytes64,
            128 => Swizzle::Bytes128,
            _ => Swizzle::None,
        })
        .with_fill(if tile.nan { OutsideFill::Nan } else { OutsideFill::Zeros });
    map.check().map_err(|error| error.to_string())?;
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Fill;

    fn of(shape: &[usize], tile: &str) -> Result<TensorMap, String> {
        let buffer =
            Buffer { name: "a".to_owned(), element: Element::F32, shape: shape.to_vec(), fill: Fill::Zeros };
        map(&buffer, &tile.parse().map_err(|error: launch_options::OptionError| error.to_string())?, 0x1000)
    }

    #[test]
    fn the_fastest_extent_comes_first_and_rows_are_the_buffers() {
        let map = of(&[6, 30, 32], "2x8x16,dims=5x29x30,steps=1x2x1,swizzle=64").expect("a map");
        assert_eq!((map.dimensions, map.extents), (vec![30, 29, 5], vec![16, 8, 2]));
        assert_eq!((map.strides, map.element_strides), (vec![128, 3840], vec![1, 2, 1]));
        assert_eq!((map.swizzle, map.fill), (Swizzle::Bytes64, OutsideFill::Zeros));
    }

    #[test]
    fn what_no_driver_makes_is_said() {
        let refused = |shape: &[usize], tile: &str| of(shape, tile).expect_err("no map");
        assert!(refused(&[8, 30], "8x8").contains("a multiple of 16 bytes apart"));
        assert!(refused(&[8, 32], "8x6").contains("a row of a box must be a multiple of 16 bytes, found 24"));
        assert!(refused(&[8, 32], "8").contains("a BOX of 1 extents for a tensor of 2"));
    }
}
