//! Arrays, textures and surfaces of the driver. CUDA driver API, "Memory Management", "Texture Object Management" and "Surface Object
//! Management".

use cudarc::driver::{
    result::DriverError,
    sys::{self, CUresult},
};
use warpsim::{Geometry, TexelElement, Texels, Texture, TextureAddressing, TextureFilter};

use super::{Memory, abandoned};

/// Texels in the driver's own order.
pub(in super::super) struct Array {
    handle: sys::CUarray,
    texels: Texels,
}

impl Array {
    /// An array for texels like these, wherever they lie; it holds nothing yet.
    pub fn allocate(texels: &Texels) -> Result<Self, DriverError> {
        use sys::{CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_SURFACE_LDST, CUDA_ARRAY3D_TEXTURE_GATHER};
        let dimensions = texels.geometry.dimensions();
        // What there is none of is 0 here.
        let extent = |dimension| if dimension < dimensions { texels.extent(dimension) as usize } else { 0 };
        let is_layered = texels.geometry.is_layered();
        let layered = if is_layered { CUDA_ARRAY3D_LAYERED } else { 0 };
        let described = |flags| sys::CUDA_ARRAY3D_DESCRIPTOR {
            Width: extent(0),
            Height: extent(1),
            Depth: if is_layered { texels.layers() as usize } else { extent(2) },
            Format: format(texels.element),
            NumChannels: texels.channels,
            Flags: layered | flags,
        };
        // An array is made for surfaces, or to read four neighbours at once, only where that is asked for, and not every array can be.
        let (surface, gathers) = (CUDA_ARRAY3D_SURFACE_LDST, CUDA_ARRAY3D_TEXTURE_GATHER);
        let wishes: &[u32] = match texels.geometry {
            Geometry::Plane => &[surface | gathers, surface, gathers, 0],
            _ => &[surface, 0],
        };
        let mut made = Err(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE));
        for &flags in wishes {
            let (mut handle, described) = (std::ptr::null_mut(), described(flags));
            // SAFETY: both pointers are valid for the call; a context is current.
            made = unsafe { sys::cuArray3DCreate_v2(&raw mut handle, &raw const described) }
                .result()
                .map(|()| Array { handle, texels: texels.clone() });
            if !matches!(made, Err(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE))) {
                break;
            }
        }
        made
    }

    /// Copies all texels from memory, in order with the kernels.
    pub fn copy_from(&self, memory: &Memory, offset: usize) -> Result<(), DriverError> {
        self.copy(memory, offset, true)
    }

    /// Copies all texels to memory, in order with the kernels.
    pub fn copy_to(&self, memory: &Memory, offset: usize) -> Result<(), DriverError> {
        self.copy(memory, offset, false)
    }

    fn copy(&self, memory: &Memory, offset: usize, comes: bool) -> Result<(), DriverError> {
        use sys::CUmemorytype_enum::{CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE};
        let texels = &self.texels;
        memory.check(offset, usize::try_from(texels.bytes()).unwrap_or(usize::MAX));
        let address = memory.address() + offset as u64;
        let (row, rows) = ((texels.extent(0) * texels.texel_bytes()) as usize, texels.extent(1) as usize);
        let (from, to) = match comes {
            true => (CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY),
            false => (CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_DEVICE),
        };
        let copy = sys::CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: from,
            srcHost: std::ptr::null(),
            srcDevice: address,
            srcArray: self.handle,
            reserved0: std::ptr::null_mut(),
            srcPitch: row,
            srcHeight: rows,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: to,
            dstHost: std::ptr::null_mut(),
            dstDevice: address,
            dstArray: self.handle,
            reserved1: std::ptr::null_mut(),
            dstPitch: row,
            dstHeight: rows,
            WidthInBytes: row,
            Height: rows,
            Depth: (texels.extent(2) * texels.layers()) as usize,
        };
        // SAFETY: the array holds these texels, and so does the memory (checked above); the description is read during the call.
        unsafe { sys::cuMemcpy3DAsync_v2(&raw const copy, std::ptr::null_mut()) }.result()
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if !abandoned() {
            // SAFETY: made by `allocate`, destroyed here only; the kernels that use it are done.
            let _ = unsafe { sys::cuArrayDestroy(self.handle) };
        }
    }
}

/// What a kernel is given a handle of.
pub(in super::super) enum Object {
    Texture(sys::CUtexObject),
    Surface(sys::CUsurfObject),
}

impl Object {
    /// A texture of an array, which must live as long.
    pub fn texture(texture: &Texture, array: &Array) -> Result<Self, DriverError> {
        Object::of_texture(texture, &of_array(array))
    }

    /// A texture of linear memory at the texels' address, which must live as long.
    pub fn of_memory(texture: &Texture) -> Result<Self, DriverError> {
        let texels = &texture.texels;
        let linear = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
            devPtr: texels.address,
            format: format(texels.element),
            numChannels: texels.channels,
            sizeInBytes: usize::try_from(texels.bytes()).unwrap_or(usize::MAX),
        };
        let mut resource = sys::CUDA_RESOURCE_DESC {
            resType: sys::CUresourcetype_enum::CU_RESOURCE_TYPE_LINEAR,
            // What a resource does not use of its description is zero.
            res: sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1 { reserved: NOTHING },
            flags: 0,
        };
        resource.res.linear = linear;
        Object::of_texture(texture, &resource)
    }

    fn of_texture(texture: &Texture, resource: &sys::CUDA_RESOURCE_DESC) -> Result<Self, DriverError> {
        use sys::{CUaddress_mode_enum as Mode, CUfilter_mode_enum as Filter};
        let unknown = DriverError(CUresult::CUDA_ERROR_NOT_SUPPORTED);
        let mode = match texture.addressing {
            TextureAddressing::Clamp => Mode::CU_TR_ADDRESS_MODE_CLAMP,
            TextureAddressing::Border => Mode::CU_TR_ADDRESS_MODE_BORDER,
            TextureAddressing::Wrap => Mode::CU_TR_ADDRESS_MODE_WRAP,
            TextureAddressing::Mirror => Mode::CU_TR_ADDRESS_MODE_MIRROR,
            _ => return Err(unknown),
        };
        let filter = match texture.filter {
            TextureFilter::Point => Filter::CU_TR_FILTER_MODE_POINT,
            TextureFilter::Linear => Filter::CU_TR_FILTER_MODE_LINEAR,
            _ => return Err(unknown),
        };
        let as_integers = !texture.texels.element.is_float() && !texture.as_float;
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        let sampling = sys::CUDA_TEXTURE_DESC {
            addressMode: [mode; 3],
            filterMode: filter,
            flags: flag(as_integers, sys::CU_TRSF_READ_AS_INTEGER)
                | flag(texture.normalized, sys::CU_TRSF_NORMALIZED_COORDINATES),
            maxAnisotropy: 0,
            mipmapFilterMode: Filter::CU_TR_FILTER_MODE_POINT,
            mipmapLevelBias: 0.0,
            minMipmapLevelClamp: 0.0,
            maxMipmapLevelClamp: 0.0,
            borderColor: [0.0; 4],
            reserved: [0; 12],
        };
        let mut handle = 0;
        // SAFETY: the pointers are valid for the call; what the resource names lives (see the callers).
        unsafe { sys::cuTexObjectCreate(&raw mut handle, resource, &raw const sampling, std::ptr::null()) }
            .result()?;
        Ok(Object::Texture(handle))
    }

    /// A surface of an array, which must live as long.
    pub fn surface(array: &Array) -> Result<Self, DriverError> {
        let (mut handle, resource) = (0, of_array(array));
        // SAFETY: the pointers are valid for the call; the array lives (see above).
        unsafe { sys::cuSurfObjectCreate(&raw mut handle, &raw const resource) }.result()?;
        Ok(Object::Surface(handle))
    }

    /// What a kernel takes.
    pub fn handle(&self) -> u64 {
        match *self {
            Object::Texture(handle) | Object::Surface(handle) => handle,
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if !abandoned() {
            // SAFETY: made above, destroyed here only; the kernels that use it are done.
            let _ = unsafe {
                match *self {
                    Object::Texture(handle) => sys::cuTexObjectDestroy(handle),
                    Object::Surface(handle) => sys::cuSurfObjectDestroy(handle),
                }
            };
        }
    }
}

const NOTHING: sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 =
    sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 { reserved: [0; 32] };

fn of_array(array: &Array) -> sys::CUDA_RESOURCE_DESC {
    let mut resource = sys::CUDA_RESOURCE_DESC {
        resType: sys::CUresourcetype_enum::CU_RESOURCE_TYPE_ARRAY,
        // What a resource does not use of its description is zero.
        res: sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1 { reserved: NOTHING },
        flags: 0,
    };
    resource.res.array = sys::CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 { hArray: array.handle };
    resource
}

fn format(element: TexelElement) -> sys::CUarray_format {
    use sys::CUarray_format_enum as Format;
    match element {
        TexelElement::U8 => Format::CU_AD_FORMAT_UNSIGNED_INT8,
        TexelElement::I8 => Format::CU_AD_FORMAT_SIGNED_INT8,
        TexelElement::U16 => Format::CU_AD_FORMAT_UNSIGNED_INT16,
        TexelElement::I16 => Format::CU_AD_FORMAT_SIGNED_INT16,
        TexelElement::U32 => Format::CU_AD_FORMAT_UNSIGNED_INT32,
        TexelElement::I32 => Format::CU_AD_FORMAT_SIGNED_INT32,
        TexelElement::F16 => Format::CU_AD_FORMAT_HALF,
        _ => Format::CU_AD_FORMAT_FLOAT,
    }
}
