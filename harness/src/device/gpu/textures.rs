//! Textures and surfaces of a plan's buffers on a GPU.
//!
//! A buffer stays where it is. A launch gets arrays of the driver's: the buffers are copied into them before it, and those of surfaces
//! back after it, all in the null stream's order. So everything else that looks at a buffer finds it as ever; a launch that is timed is
//! timed with these copies.

use std::collections::{BTreeMap, btree_map::Entry};

use warpsim::Texels;

use super::{
    arena::Layout,
    driver::{Array, Memory, Object},
    driver_status,
};
use crate::{
    device::ExecutionStatus,
    plan::{Argument, BufferId, Launch, Plan, TexelLayout},
    texture,
};

/// A buffer, and how its elements are texels: channels, and whether in layers.
type Key = (usize, usize, bool);

/// What was made so far.
#[derive(Default)]
pub(super) struct Textures {
    // Objects are dropped before the arrays that they are of.
    objects: Vec<(Argument, Object)>,
    arrays: BTreeMap<Key, Array>,
}

fn key(buffer: BufferId, layout: TexelLayout) -> Key {
    (buffer.0, layout.channels, layout.layered)
}

/// Where a plan's buffers lie.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) plan: &'a Plan,
    pub(super) layout: &'a Layout,
    pub(super) memory: &'a Memory,
}

impl Place<'_> {
    fn address(self, buffer: BufferId) -> u64 {
        self.memory.address() + self.start(buffer) as u64
    }

    fn start(self, buffer: BufferId) -> usize {
        self.layout.buffers[buffer.0].start
    }
}

impl Textures {
    /// The handle for an argument that is a texture or surface; none for others.
    pub(super) fn handle(
        &mut self,
        place: Place<'_>,
        argument: &Argument,
    ) -> Result<Option<u64>, ExecutionStatus> {
        if let Some((_, object)) = self.objects.iter().find(|(known, _)| known == argument) {
            return Ok(Some(object.handle()));
        }
        let making = |error| driver_status(error, "making a texture or surface");
        let object = match argument {
            Argument::Texture { buffer, layout, sampling } => {
                let of = &place.plan.buffers[buffer.0];
                let texture = texture::texture(of, *layout, *sampling, place.address(*buffer))
                    .map_err(ExecutionStatus::Refused)?;
                if sampling.memory {
                    Object::of_memory(&texture).map_err(making)?
                } else {
                    Object::texture(&texture, self.array(key(*buffer, *layout), &texture.texels)?)
                        .map_err(making)?
                }
            }
            Argument::Surface { buffer, layout } => {
                let of = &place.plan.buffers[buffer.0];
                let texels = texture::surface(of, *layout, place.address(*buffer))
                    .map_err(ExecutionStatus::Refused)?;
                Object::surface(self.array(key(*buffer, *layout), &texels)?).map_err(making)?
            }
            Argument::Buffer { .. } | Argument::Scalar(_) | Argument::Null | Argument::TensorMap { .. } => {
                return Ok(None);
            }
        };
        let handle = object.handle();
        self.objects.push((argument.clone(), object));
        Ok(Some(handle))
    }

    /// The array of a buffer; textures and surfaces of one buffer share it.
    fn array(&mut self, key: Key, texels: &Texels) -> Result<&Array, ExecutionStatus> {
        match self.arrays.entry(key) {
            Entry::Occupied(array) => Ok(array.into_mut()),
            Entry::Vacant(vacant) => {
                let array =
                    Array::allocate(texels).map_err(|error| driver_status(error, "allocating an array"))?;
                Ok(vacant.insert(array))
            }
        }
    }

    /// Copies the buffers of a launch into their arrays.
    pub(super) fn copy_in(&self, place: Place<'_>, launch: &Launch) -> Result<(), ExecutionStatus> {
        for argument in &launch.arguments {
            let (Argument::Texture { buffer, layout, .. } | Argument::Surface { buffer, layout }) = argument
            else {
                continue;
            };
            if let Some(array) = self.arrays.get(&key(*buffer, *layout)) {
                array
                    .copy_from(place.memory, place.start(*buffer))
                    .map_err(|error| driver_status(error, "copying to an array"))?;
            }
        }
        Ok(())
    }

    /// Copies what a launch may have written from its surfaces' arrays back into the buffers.
    pub(super) fn copy_out(&self, place: Place<'_>, launch: &Launch) -> Result<(), ExecutionStatus> {
        for argument in &launch.arguments {
            let Argument::Surface { buffer, layout } = argument else { continue };
            if let Some(array) = self.arrays.get(&key(*buffer, *layout)) {
                array
                    .copy_to(place.memory, place.start(*buffer))
                    .map_err(|error| driver_status(error, "copying from an array"))?;
            }
        }
        Ok(())
    }
}
