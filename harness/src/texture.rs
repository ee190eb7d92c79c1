//! Textures and surfaces of a plan's buffers: what they are, for the simulator's own and for the driver's.

use warpsim::{Geometry, TexelElement, Texels, Texture, TextureAddressing, TextureFilter};

use crate::plan::{AddressMode, Buffer, Element, Sampling, TexelLayout};

/// The texels of a surface of a buffer that lies at this address.
///
/// # Errors
/// Why no driver makes it, in words.
pub fn surface(buffer: &Buffer, layout: TexelLayout, address: u64) -> Result<Texels, String> {
    let texels = laid_out(buffer, layout, address)?;
    texels.check_surface().map_err(|error| error.to_string())?;
    Ok(texels)
}

/// The texture of a buffer that lies at this address.
///
/// # Errors
/// Why no driver makes it, in words.
pub fn texture(
    buffer: &Buffer,
    layout: TexelLayout,
    sampling: Sampling,
    address: u64,
) -> Result<Texture, String> {
    // Of coordinates that are not normalised CUDA repeats and mirrors nothing: it clamps ("Texture Object API").
    let address_mode = match sampling.address_mode {
        AddressMode::Wrap | AddressMode::Mirror if !sampling.normalized => AddressMode::Clamp,
        mode => mode,
    };
    let texture = Texture::new(laid_out(buffer, layout, address)?)
        .with_filter(if sampling.linear { TextureFilter::Linear } else { TextureFilter::Point })
        .with_addressing(match address_mode {
            AddressMode::Clamp => TextureAddressing::Clamp,
            AddressMode::Border => TextureAddressing::Border,
            AddressMode::Wrap => TextureAddressing::Wrap,
            AddressMode::Mirror => TextureAddressing::Mirror,
        })
        .with_normalized(sampling.normalized)
        .with_as_float(sampling.as_float)
        .with_linear_memory(sampling.memory);
    texture.check().map_err(|error| error.to_string())?;
    Ok(texture)
}

fn laid_out(buffer: &Buffer, layout: TexelLayout, address: u64) -> Result<Texels, String> {
    let element = match buffer.element {
        Element::U8 => TexelElement::U8,
        Element::I8 => TexelElement::I8,
        Element::U16 => TexelElement::U16,
        Element::I16 => TexelElement::I16,
        Element::U32 => TexelElement::U32,
        Element::I32 => TexelElement::I32,
        Element::F16 => TexelElement::F16,
        Element::F32 => TexelElement::F32,
        Element::U64 | Element::I64 | Element::Bf16 | Element::F64 => {
            return Err(format!(
                "a texel has channels of 8, 16 or 32 bits, and no bf16: found {}",
                buffer.element.name()
            ));
        }
    };
    let mut extents = buffer.shape.clone();
    if layout.channels > 1 {
        extents.pop();
    }
    let geometry = match (extents.len(), layout.layered) {
        (1, false) => Geometry::Line,
        (2, false) => Geometry::Plane,
        (3, false) => Geometry::Volume,
        (2, true) => Geometry::LayeredLine,
        (3, true) => Geometry::LayeredPlane,
        (found, layered) => {
            let takes = if layered { "the layers and 1 or 2 more extents" } else { "1 to 3 extents" };
            return Err(format!("texels have {takes}, found {found}"));
        }
    };
    // The fastest comes first, and the layers last.
    let extents: Result<Vec<u32>, _> = extents.iter().rev().map(|&extent| u32::try_from(extent)).collect();
    let extents = extents.map_err(|_| "an extent of a texture is less than 2^32".to_owned())?;
    Ok(Texels::new(element, layout.channels as u32, geometry, &extents, address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Fill;

    fn buffer(element: Element, shape: &[usize]) -> Buffer {
        Buffer { name: "a".to_owned(), element, shape: shape.to_vec(), fill: Fill::Zeros }
    }

    #[test]
    fn the_fastest_extent_comes_first_and_layers_last() {
        let of = |shape: &[usize], channels, layered| {
            surface(&buffer(Element::U8, shape), TexelLayout { channels, layered }, 0x100).expect("texels")
        };
        let plane = of(&[6, 8, 4], 4, false);
        assert_eq!((plane.geometry, plane.extents, plane.channels), (Geometry::Plane, vec![8, 6], 4));
        let layers = of(&[2, 6, 8], 1, true);
        assert_eq!((layers.geometry, layers.extents), (Geometry::LayeredPlane, vec![8, 6, 2]));
    }

    #[test]
    fn what_no_driver_makes_is_said() {
        let (layout, sampling) = (TexelLayout { channels: 1, layered: false }, Sampling::default());
        let refused =
            |buffer: &Buffer, sampling| texture(buffer, layout, sampling, 0).expect_err("no texture");
        assert!(refused(&buffer(Element::F64, &[4]), sampling).contains("found f64"));
        assert!(refused(&buffer(Element::F32, &[4; 4]), sampling).contains("1 to 3 extents, found 4"));
        let linear = Sampling { linear: true, ..sampling };
        assert!(refused(&buffer(Element::I32, &[4]), linear).contains("read as floats, found i32"));
    }

    #[test]
    fn nothing_repeats_without_normalised_coordinates() {
        let (layout, buffer) = (TexelLayout { channels: 1, layered: false }, buffer(Element::F32, &[4]));
        for address_mode in [AddressMode::Wrap, AddressMode::Mirror] {
            let of = |normalized| {
                let sampling = Sampling { address_mode, normalized, ..Sampling::default() };
                texture(&buffer, layout, sampling, 0).expect("a texture").addressing
            };
            assert_eq!(of(false), TextureAddressing::Clamp);
            assert_ne!(of(true), TextureAddressing::Clamp);
        }
    }
}
