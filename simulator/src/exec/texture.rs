//! Textures: from handles and coordinates to the texels that memory holds, and to what is made of them.
//!
//! A texel is read like any other data, so that bounds, races and what was never written are told as for a load. None of it is
//! counted as traffic: the order of an array's texels in memory is the driver's secret.

mod filter;
mod surface;

use crate::{
    exec::{
        access::{Port, narrow},
        context::{Stop, report, threads},
        refuse::lacking,
        registers::Registers,
        undefined::{Register, Undefined},
    },
    finding::{FindingKind, Severity},
    findings::{Decides, RaceCause},
    ir::{
        AddressSpace, Constants, Element, LANES, Order, Pair, Scope, TextureAccess, TextureQuery,
        TextureRead, Word, Words,
    },
    memory::{Access, Site, lanes},
    texture::{Geometry, TexelElement, Texels, Texture, TextureFilter, TextureObject},
};

use filter::{Axis, Taps, WHOLE};

/// Channels of what a read gives.
const CHANNELS: usize = 4;

/// What the lanes of a read have so far.
struct Gathered {
    /// Sums, where texels are filtered.
    sums: [[f64; LANES]; CHANNELS],
    /// Bits, where there is one texel.
    bits: [Words; CHANNELS],
    undefined: Vec<(usize, usize, Undefined)>,
}

impl Port<'_, '_> {
    /// Executes an access to a texture or surface.
    #[inline(never)]
    pub fn texture(
        &mut self,
        access: &TextureAccess,
        lists: &[Word],
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<(), Stop> {
        let handle = match access {
            TextureAccess::Read(read) => read.handle,
            TextureAccess::Surface(access) => access.handle,
            TextureAccess::Query { handle, .. } => *handle,
        };
        for (handle, mask) in self.by_handle(handle, registers, constants, mask) {
            let objects = self.cx.textures;
            match (access, objects.get(handle)) {
                (TextureAccess::Read(read), Some(TextureObject::Texture(texture))) => {
                    self.read_texture(read, texture, lists, registers, constants, mask)?;
                }
                (TextureAccess::Surface(access), Some(TextureObject::Surface(texels))) => {
                    self.surface(access, texels, lists, registers, constants, mask)?;
                }
                (&TextureAccess::Query { surface, asked, d, .. }, Some(object))
                    if surface == matches!(object, TextureObject::Surface(_)) =>
                {
                    let answer = self.answer(asked, object, mask)?;
                    registers.set_word(d, &[answer; LANES], 0, mask);
                }
                (access, found) => return Err(self.no_object(access, found, handle, mask)),
            }
        }
        Ok(())
    }

    /// The handles that the lanes give, each with its lanes.
    fn by_handle(
        &mut self,
        handle: Pair,
        registers: &Registers,
        constants: &Constants,
        mask: u32,
    ) -> Vec<(u64, u32)> {
        let poison = registers.pair_poison(handle) & mask;
        self.undefined(Decides::Address, Register::Pair(handle), registers, poison);
        let handles = registers.pair(constants, handle);
        let mut found: Vec<(u64, u32)> = Vec::new();
        for lane in lanes(mask) {
            match found.iter_mut().find(|(handle, _)| *handle == handles[lane]) {
                Some((_, lanes)) => *lanes |= 1 << lane,
                None => found.push((handles[lane], 1 << lane)),
            }
        }
        found
    }

    /// Says that a handle is not what the instruction takes.
    fn no_object(
        &mut self,
        access: &TextureAccess,
        found: Option<&TextureObject>,
        handle: u64,
        mask: u32,
    ) -> Stop {
        let (wanted, parameter) = match access {
            TextureAccess::Read(_) | TextureAccess::Query { surface: false, .. } => {
                ("texture", "cudaTextureObject_t")
            }
            TextureAccess::Surface(_) | TextureAccess::Query { surface: true, .. } => {
                ("surface", "cudaSurfaceObject_t")
            }
        };
        let is = match found {
            Some(TextureObject::Texture(_)) => "that of a texture, not of a surface",
            Some(TextureObject::Surface(_)) => "that of a surface, not of a texture",
            None if handle == 0 => "0, which is none",
            None => "not one that the host has made",
        };
        let message = format!(
            "This takes the handle of a {wanted}, but the handle here ({handle:#x}) is {is}. Hand on the `{parameter}` that the \
             kernel was given as it is, and no address."
        );
        self.refuse_lanes(FindingKind::OutOfBounds, mask, message)
    }

    /// Reports what no GPU would carry out, of several lanes.
    fn refuse_lanes(&mut self, kind: FindingKind, mask: u32, message: String) -> Stop {
        let who = threads(self.block, self.warp, mask);
        let count = u64::from(mask.count_ones());
        report(&mut self.memory.findings, kind, Severity::Error, self.site, Site(0), who, count, message);
        Stop::Faulted
    }

    /// Reports what the simulator lacks, of several lanes.
    fn lack_lanes(&mut self, mask: u32, what: &str) -> Stop {
        self.refuse_lanes(FindingKind::Unsupported, mask, lacking(what));
        Stop::Unsupported
    }

    /// What is asked of a texture or surface.
    fn answer(&mut self, asked: TextureQuery, object: &TextureObject, mask: u32) -> Result<u32, Stop> {
        let texels = object.texels();
        match asked {
            TextureQuery::Extent(dimension) if usize::from(dimension) < texels.geometry.dimensions() => {
                Ok(texels.extent(dimension.into()))
            }
            TextureQuery::Layers if texels.geometry.is_layered() => Ok(texels.layers()),
            TextureQuery::IsNormalized => {
                Ok(u32::from(matches!(object, TextureObject::Texture(texture) if texture.normalized)))
            }
            TextureQuery::Levels => Ok(1),
            TextureQuery::Extent(_) | TextureQuery::Layers => {
                let what = format!(
                    "an answer to a question about a dimension or layers that a {} texture does not have",
                    texels.geometry.name()
                );
                Err(self.lack_lanes(mask, &what))
            }
        }
    }

    fn read_texture(
        &mut self,
        read: &TextureRead,
        texture: &Texture,
        lists: &[Word],
        registers: &mut Registers,
        constants: &Constants,
        mask: u32,
    ) -> Result<(), Stop> {
        self.check_read(read, texture, mask)?;
        let (results, place) = lists[read.words.range()].split_at(CHANNELS);
        for &word in place {
            let poison = registers.word_poison(word) & mask;
            self.undefined(Decides::Address, Register::Word(word), registers, poison);
        }
        let geometry = read.geometry;
        let (layer, place) = place.split_at(usize::from(geometry.is_layered()));
        let layers = layer.first().map_or([0; LANES], |&word| *registers.word(constants, word));
        self.check_layers(&layers, &texture.texels, mask)?;
        let mut taps = [[[(Some(0), WHOLE), (None, 0)] as Taps; LANES]; 3];
        for (dimension, &word) in place.iter().enumerate().take(geometry.dimensions()) {
            let coordinates = *registers.word(constants, word);
            for lane in lanes(mask) {
                taps[dimension][lane] = self.taps(read, texture, dimension, coordinates[lane], lane)?;
            }
        }
        let gathered = match read.gathers {
            Some(channel) => self.gather(channel, texture, &layers, &taps, mask)?,
            None => self.filter(texture, &layers, &taps, mask)?,
        };
        self.give(texture, read.gathers.is_some(), gathered, results, registers, mask);
        Ok(())
    }

    /// Whether the instruction goes with the texture.
    fn check_read(&mut self, read: &TextureRead, texture: &Texture, mask: u32) -> Result<(), Stop> {
        let texels = &texture.texels;
        if read.geometry != texels.geometry {
            return Err(self.other_geometry("texture", read.geometry, texels.geometry, mask));
        }
        let (what, next) = if read.floats && !texture.gives_floats() {
            (
                "reads floats, but the texture gives integers",
                "Read its own type (`tex2D<unsigned char>` …), or make the texture with `cudaReadModeNormalizedFloat`",
            )
        } else if !read.floats && texture.gives_floats() {
            ("reads integers, but the texture gives floats", "Read floats (`tex2D<float>` …)")
        } else if !read.by_index && texture.linear_memory {
            (
                "reads linear memory by coordinates",
                "Read it by an index (`tex1Dfetch`), or make the texture of an array",
            )
        } else if read.by_index && (texture.normalized || texture.filter != TextureFilter::Point) {
            (
                "reads by an index from a texture with normalised coordinates or a filter",
                "Read it by coordinates (`tex1D`), or make the texture without both",
            )
        } else if read.gathers.is_some_and(|channel| u32::from(channel) >= texels.channels) {
            ("gathers a channel that the texture lacks", "Name a channel that it has")
        } else {
            return Ok(());
        };
        let message = format!("This {what}. What a GPU gives there is left open. {next}.");
        Err(self.refuse_lanes(FindingKind::OutOfBounds, mask, message))
    }

    /// Says that what is asked for is counted otherwise than what is there.
    fn other_geometry(&mut self, what: &str, asked: Geometry, found: Geometry, mask: u32) -> Stop {
        let message = format!(
            "This takes a {what} of geometry {}, but the handle is that of one of geometry {}, where such coordinates mean nothing. \
             Take the function for it ({}), or make the {what} as the kernel reads it.",
            asked.name(),
            found.name(),
            match (what, found) {
                ("texture", Geometry::Line) => "`tex1D`, or `tex1Dfetch` of linear memory",
                ("texture", Geometry::Plane) => "`tex2D`",
                ("texture", Geometry::Volume) => "`tex3D`",
                ("texture", Geometry::LayeredLine) => "`tex1DLayered`",
                ("texture", Geometry::LayeredPlane) => "`tex2DLayered`",
                (_, Geometry::Line) => "`surf1Dread`, `surf1Dwrite`",
                (_, Geometry::Plane) => "`surf2Dread`, `surf2Dwrite`",
                (_, Geometry::Volume) => "`surf3Dread`, `surf3Dwrite`",
                (_, Geometry::LayeredLine) => "`surf1DLayeredread`, `surf1DLayeredwrite`",
                (_, Geometry::LayeredPlane) => "`surf2DLayeredread`, `surf2DLayeredwrite`",
            }
        );
        self.refuse_lanes(FindingKind::OutOfBounds, mask, message)
    }

    /// Reports layers that are not there: no document says what a GPU makes of one.
    fn check_layers(&mut self, layers: &Words, texels: &Texels, mask: u32) -> Result<(), Stop> {
        let outside = lanes(mask).filter(|&lane| layers[lane] >= texels.layers());
        let outside: u32 = outside.fold(0, |all, lane| all | 1 << lane);
        if outside == 0 {
            return Ok(());
        }
        let message = format!(
            "This is layer {} of an object with {}. What a GPU gives there is left open: compare the index with the number of layers.",
            layers[outside.trailing_zeros() as usize & 31],
            texels.layers()
        );
        Err(self.refuse_lanes(FindingKind::OutOfBounds, outside, message))
    }

    /// The texels that a lane's coordinate means along a dimension.
    fn taps(
        &mut self,
        read: &TextureRead,
        texture: &Texture,
        dimension: usize,
        bits: u32,
        lane: usize,
    ) -> Result<Taps, Stop> {
        let texels = texture.texels.extent(dimension);
        let axis = Axis { texels, addressing: texture.addressing, normalized: texture.normalized };
        if read.by_index {
            let index = bits as i32;
            if texture.linear_memory && u32::try_from(index).map_or(true, |index| index >= texels) {
                let message = format!(
                    "This is texel {index} of a texture with {texels} in linear memory. What a GPU gives there is left open: compare the \
                     index with the number of texels."
                );
                return Err(self.refuse(FindingKind::OutOfBounds, lane, message));
            }
            return Ok([(axis.texel(index.into()), WHOLE), (None, 0)]);
        }
        let coordinate = f32::from_bits(bits);
        if !coordinate.is_finite() {
            return Err(self.lack(lane, "a read of a texture at a coordinate that is infinite or no number"));
        }
        Ok(match read.gathers {
            // Four texels by themselves.
            Some(_) => {
                let (first, second) = axis.pair(coordinate);
                [(first, WHOLE), (second, WHOLE)]
            }
            None => axis.taps(texture.filter, coordinate),
        })
    }

    /// Reads and weighs the texels of each lane.
    fn filter(
        &mut self,
        texture: &Texture,
        layers: &Words,
        taps: &[[Taps; LANES]; 3],
        mask: u32,
    ) -> Result<Gathered, Stop> {
        let texels = &texture.texels;
        let mut gathered = Gathered::empty();
        let filters = texture.filter == TextureFilter::Linear;
        let corners = if filters { 1 << texels.geometry.dimensions() } else { 1 };
        for corner in 0..corners {
            let tap = |dimension: usize, lane: usize| taps[dimension][lane][corner >> dimension & 1];
            let mut addresses = [0; LANES];
            let mut inside = 0;
            let mut weights = [0.0; LANES];
            for lane in lanes(mask) {
                let parts = [tap(0, lane), tap(1, lane), tap(2, lane)];
                weights[lane] = parts.iter().map(|part| f64::from(part.1) / f64::from(WHOLE)).product();
                if let [(Some(x), _), (Some(y), _), (Some(z), _)] = parts
                    && weights[lane] > 0.0
                {
                    addresses[lane] = texels.address_of([x, y, z], layers[lane]);
                    inside |= 1 << lane;
                }
            }
            if inside == 0 {
                continue;
            }
            let access = self.load_texels(texels, addresses, inside)?;
            for channel in 0..texels.channels as usize {
                let raw = self.channel(texels, &access, channel, inside, &mut gathered.undefined, channel);
                for lane in lanes(inside) {
                    if filters {
                        let value = f32::from_bits(converted(texture, raw[lane]));
                        gathered.sums[channel][lane] += weights[lane] * f64::from(value);
                    } else {
                        gathered.bits[channel][lane] = converted(texture, raw[lane]);
                    }
                }
            }
        }
        if filters {
            for (bits, sums) in gathered.bits.iter_mut().zip(&gathered.sums) {
                *bits = sums.map(|sum| (sum as f32).to_bits());
            }
        }
        Ok(gathered)
    }

    /// Reads one channel of four texels of each lane, counter-clockwise from the lower left: the second row goes first.
    fn gather(
        &mut self,
        channel: u8,
        texture: &Texture,
        layers: &Words,
        taps: &[[Taps; LANES]; 3],
        mask: u32,
    ) -> Result<Gathered, Stop> {
        let texels = &texture.texels;
        let mut gathered = Gathered::empty();
        for (place, (right, down)) in [(0, 1), (1, 1), (1, 0), (0, 0)].into_iter().enumerate() {
            let mut addresses = [0; LANES];
            let mut inside = 0;
            for lane in lanes(mask) {
                if let (Some(x), Some(y)) = (taps[0][lane][right].0, taps[1][lane][down].0) {
                    addresses[lane] = texels.address_of([x, y, 0], layers[lane]);
                    inside |= 1 << lane;
                }
            }
            if inside == 0 {
                continue;
            }
            let access = self.load_texels(texels, addresses, inside)?;
            let raw = self.channel(texels, &access, channel.into(), inside, &mut gathered.undefined, place);
            for lane in lanes(inside) {
                gathered.bits[place][lane] = converted(texture, raw[lane]);
            }
        }
        Ok(gathered)
    }

    /// Reads a texel in each lane.
    fn load_texels(&mut self, texels: &Texels, addresses: [u64; LANES], mask: u32) -> Result<Access, Stop> {
        let bytes = texels.texel_bytes() as u8;
        let access = self.access(AddressSpace::Global, addresses, mask, bytes, Order::Weak, Scope::System);
        self.memory.element = texels.element.bytes() as u8;
        self.memory.check_read_only(self.global, &access, RaceCause::TextureCache);
        let outcome = self.memory.load_out_of_line(self.global, &access, self.scratch);
        if outcome.faulted & mask != 0 { Err(Stop::Faulted) } else { Ok(access) }
    }

    /// A channel of the texels that were read, and what of it is undefined.
    fn channel(
        &mut self,
        texels: &Texels,
        access: &Access,
        channel: usize,
        mask: u32,
        undefined: &mut Vec<(usize, usize, Undefined)>,
        place: usize,
    ) -> Words {
        let element = Element {
            bytes: texels.element.bytes() as u8,
            signed: matches!(texels.element, TexelElement::I8 | TexelElement::I16),
            wide: false,
        };
        let at = channel * usize::from(element.bytes) / 4;
        for lane in lanes(self.scratch.poison[at] & mask) {
            let value = self.loaded(access, element, channel, lane);
            if value.bits != 0 {
                // What is made of it by a filter or a conversion is undefined as a whole.
                let is_moved = texels.element.bytes() == 4;
                let bits = if is_moved { value.bits } else { u32::MAX.into() };
                undefined.push((place, lane, Undefined { bits, in_place: false, ..value }));
            }
        }
        narrow(self.scratch, element, channel)
    }

    /// Hands over what was read.
    fn give(
        &mut self,
        texture: &Texture,
        gathers: bool,
        gathered: Gathered,
        results: &[Word],
        registers: &mut Registers,
        mask: u32,
    ) {
        let there = if gathers { CHANNELS } else { texture.texels.channels as usize };
        for (channel, (&d, bits)) in results.iter().zip(&gathered.bits).enumerate() {
            if !d.is_some() {
                continue;
            }
            registers.set_word(d, bits, 0, mask);
            if channel >= there {
                let origin = self.origins.absent_channel(self.site);
                for lane in lanes(mask) {
                    let value = Undefined { bits: u32::MAX.into(), origin, ..Undefined::NONE };
                    registers.set_undefined(Register::Word(d), lane, value);
                }
            }
        }
        for (channel, lane, value) in gathered.undefined {
            let register = Register::Word(results[channel]);
            if results[channel].is_some() {
                let value = registers.undefined(register, lane).merge(value);
                registers.set_undefined(register, lane, value);
            }
        }
    }
}

impl Gathered {
    /// Zeros: what lies outside, too.
    fn empty() -> Gathered {
        Gathered { sums: [[0.0; LANES]; CHANNELS], bits: [[0; LANES]; CHANNELS], undefined: Vec::new() }
    }
}

impl Texels {
    /// Where a texel lies.
    fn address_of(&self, [x, y, z]: [u32; 3], layer: u32) -> u64 {
        let rows = u64::from(layer) * u64::from(self.extent(2)) + u64::from(z);
        let texels =
            (rows * u64::from(self.extent(1)) + u64::from(y)) * u64::from(self.extent(0)) + u64::from(x);
        self.address.wrapping_add(texels * u64::from(self.texel_bytes()))
    }
}

/// What a read makes of a channel's bits: integers keep their value, floats are single precision.
fn converted(texture: &Texture, bits: u32) -> u32 {
    let part = |value: f64, whole: f64| ((value / whole).max(-1.0) as f32).to_bits();
    match texture.texels.element {
        TexelElement::F16 => f32::from(half::f16::from_bits(bits as u16)).to_bits(),
        TexelElement::U8 if texture.as_float => part(f64::from(bits), 255.0),
        TexelElement::U16 if texture.as_float => part(f64::from(bits), 65535.0),
        TexelElement::I8 if texture.as_float => part(f64::from(bits as i32), 127.0),
        TexelElement::I16 if texture.as_float => part(f64::from(bits as i32), 32767.0),
        _ => bits,
    }
}
