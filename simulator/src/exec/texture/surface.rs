//! Surfaces: bytes of texels by their coordinates, of which the first counts bytes. CUDA C++ Programming Guide, "Surface Functions";
//! PTX ISA 9.0, `suld`, `sust`.

use crate::{
    exec::{access::Port, context::Stop, registers::Registers, undefined::Register},
    finding::FindingKind,
    findings::{Decides, RaceCause},
    ir::{
        AddressSpace, Constants, Element, LANES, Memory, Order, Outside, Pairs, Scope, SurfaceAccess, Word,
    },
    memory::lanes,
    texture::Texels,
};

impl Port<'_, '_> {
    /// Reads or writes bytes of a surface.
    pub(super) fn surface(
        &mut self,
        access: &SurfaceAccess,
        texels: &Texels,
        lists: &[Word],
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<(), Stop> {
        if access.geometry != texels.geometry {
            return Err(self.other_geometry("surface", access.geometry, texels.geometry, mask));
        }
        let (addresses, inside) = self.places(access, texels, lists, registers, constants, mask)?;
        let element = Element { bytes: access.bytes, signed: false, wide: access.bytes == 8 };
        let memory = Memory {
            space: AddressSpace::Global,
            element,
            count: access.count,
            order: Order::Weak,
            scope: Scope::System,
            read_only: false,
        };
        let mut operands = [u16::MAX; 4];
        for (operand, register) in operands.iter_mut().zip(&lists[access.registers.range()]) {
            *operand = register.0;
        }
        if access.stores {
            if inside != 0 {
                self.store_at(&memory, &operands, addresses, registers, constants, inside)?;
            }
            return Ok(());
        }
        // Outside there are zeros.
        for &operand in &operands[..usize::from(access.count)] {
            if element.wide {
                registers.set_pair(crate::ir::Pair(operand), &[0; LANES], 0, mask & !inside);
            } else {
                registers.set_word(Word(operand), &[0; LANES], 0, mask & !inside);
            }
        }
        if inside != 0 {
            let bytes = access.bytes * access.count;
            let read =
                self.access(AddressSpace::Global, addresses, inside, bytes, Order::Weak, Scope::System);
            self.memory.element = access.bytes;
            self.memory.check_read_only(self.global, &read, RaceCause::TextureCache);
            self.load_at(&memory, &operands, addresses, registers, inside)?;
        }
        Ok(())
    }

    /// Where each lane's bytes lie, and which lanes' lie inside.
    fn places(
        &mut self,
        access: &SurfaceAccess,
        texels: &Texels,
        lists: &[Word],
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<(Pairs, u32), Stop> {
        let words = &lists[access.words.range()];
        for &word in words {
            let poison = registers.word_poison(word) & mask;
            self.undefined(Decides::Address, Register::Word(word), registers, poison);
        }
        let (layer, coordinates) = words.split_at(usize::from(access.geometry.is_layered()));
        let layers = layer.first().map_or([0; LANES], |&word| *registers.word(constants, word));
        self.check_layers(&layers, texels, mask)?;
        let size = i64::from(access.bytes * access.count);
        let row_bytes = i64::from(texels.extent(0)) * i64::from(texels.texel_bytes());
        let mut addresses = [0; LANES];
        let (mut inside, mut stray) = (0, 0u32);
        for lane in lanes(mask) {
            let at = |dimension: usize| {
                let word = coordinates.get(dimension);
                word.map_or(0, |&word| i64::from(registers.word(constants, word)[lane] as i32))
            };
            let [mut x, mut y, mut z] = [at(0), at(1), at(2)];
            if x % size != 0 {
                return Err(self.misaligned_surface(x, size, lane));
            }
            // The last place in a row at which as many bytes begin.
            let most = [row_bytes - size, i64::from(texels.extent(1)) - 1, i64::from(texels.extent(2)) - 1];
            let is_inside = [x, y, z].iter().zip(most).all(|(&at, most)| (0..=most).contains(&at));
            if access.outside == Outside::Clamp && most[0] >= 0 {
                x = x.clamp(0, most[0] - most[0] % size);
                (y, z) = (y.clamp(0, most[1]), z.clamp(0, most[2]));
            } else if !is_inside {
                stray |= 1 << lane;
                continue;
            }
            inside |= 1 << lane;
            addresses[lane] = texels.address_of([0, y as u32, z as u32], layers[lane]).wrapping_add_signed(x);
        }
        if stray != 0 && access.outside != Outside::Zero {
            let lane = stray.trailing_zeros() as usize;
            let at: Vec<String> = coordinates
                .iter()
                .map(|&word| (registers.word(constants, word)[lane] as i32).to_string())
                .collect();
            return Err(self.outside_surface(access, texels, &at.join(", "), stray));
        }
        Ok((addresses, inside))
    }

    fn outside_surface(&mut self, access: &SurfaceAccess, texels: &Texels, at: &str, stray: u32) -> Stop {
        let extents: Vec<String> = (0..texels.geometry.dimensions())
            .map(|dimension| match dimension {
                0 => format!("{} bytes", texels.extent(0) * texels.texel_bytes()),
                _ => texels.extent(dimension).to_string(),
            })
            .collect();
        let message = format!(
            "This {} {} bytes at ({at}) of a surface of {}: outside. The kernel stops there, as `cudaBoundaryModeTrap` asks. The first \
             coordinate counts bytes: multiply the index by the size of an element, and compare all of them with the surface's extents.",
            if access.stores { "writes" } else { "reads" },
            access.bytes * access.count,
            extents.join(" × "),
        );
        self.refuse_lanes(FindingKind::OutOfBounds, stray, message)
    }

    fn misaligned_surface(&mut self, x: i64, size: i64, lane: usize) -> Stop {
        let message = format!(
            "This accesses {size} bytes of a surface at byte {x} of a row, which is not a multiple of {size}. The first coordinate \
             counts bytes: multiply the index by the size of an element."
        );
        self.refuse(FindingKind::Misaligned, lane, message)
    }
}
