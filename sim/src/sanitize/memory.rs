//! Checks of memory: bounds, alignment, LDS.

use wavesmith_isa::Mnemonic as M;

use super::access::{Access, Place, accesses, in_private};
use super::facts::{Counter, Facts};
use super::flight::Flight;
use super::lds::{Clash, Touch};
use super::{Kind, Watcher};
use crate::group::Group;
use crate::watch::Step;

impl Watcher {
    /// Before a memory instruction. Lanes whose address would fault are taken out of EXEC until it has run.
    pub(super) fn check_memory(
        &mut self,
        group: &mut Group<'_>,
        wave: usize,
        at: usize,
        facts: &Facts,
    ) -> Step {
        let op = &group.env.program.ops[at];
        let mut list = std::mem::take(&mut self.accesses);
        list.clear();
        accesses(&group.waves[wave], op, &mut list);
        let mut bad = 0u64;
        let mut scalar_bad = false;
        for a in &list {
            if a.place != Place::Lds && !self.check_bounds(group, wave, at, a) {
                match a.lane {
                    64 => scalar_bad = true,
                    l => bad |= 1 << l,
                }
            }
        }
        let mut flight = Flight {
            id: 0,
            at,
            counter: facts.counter,
            in_lds: false,
            in_memory: false,
            writes: if facts.late {
                facts.writes.clone()
            } else {
                Vec::new()
            },
            lanes: self.between.exec,
            lds: Vec::new(),
            writes_lds: false,
        };
        let id = self.waves[wave].flights.next_id();
        for a in &list {
            if !self.check_alignment(group, wave, at, a) && a.atomic && a.place == Place::Global {
                bad |= lane_bit(a);
            }
            match a.place {
                Place::Lds => {
                    flight.in_lds = true;
                    flight.writes_lds |= a.write;
                    self.check_lds(group, wave, at, a, id);
                    let (from, len) = (a.address as u32, a.len);
                    match flight.lds.last_mut() {
                        Some((f, n)) if f.wrapping_add(*n) == from => *n += len,
                        _ => flight.lds.push((from, len)),
                    }
                }
                Place::Global => flight.in_memory = true,
                Place::Private => {}
            }
        }
        self.accesses = list;
        // Only what waits can be waited for.
        if op.inst.op.info().mnemonic != M::DS_NOP {
            self.between.flight = Some(flight);
        }
        if bad != 0 {
            self.between.restore = Some(self.between.exec);
            group.waves[wave].set_exec(self.between.exec & !bad);
        }
        if scalar_bad { Step::Skip } else { Step::Run }
    }

    /// Whether device or private memory holds an access.
    fn check_bounds(&mut self, group: &mut Group<'_>, wave: usize, at: usize, a: &Access) -> bool {
        let what = match a.place {
            Place::Global => match group.env.mem.find(a.address, a.len.into()) {
                Ok(_) => return true,
                Err(f) => f.what,
            },
            _ if in_private(&group.waves[wave], a) => return true,
            _ => format!(
                "private offset {:#x} is past the {} bytes of each work-item",
                a.address, group.waves[wave].scratch_size
            ),
        };
        let way = way(a);
        let k = Kind::OutOfBounds;
        let who = who(a);
        self.report(group, k, (wave, at), lane_bit(a), None, || {
            (
                format!("{way} of {} bytes{who}: {what}", a.len),
                "bound the address or the lanes (EXEC), or use a buffer descriptor with the buffer's size"
                    .to_owned(),
            )
        });
        false
    }

    fn check_alignment(&mut self, group: &Group<'_>, wave: usize, at: usize, a: &Access) -> bool {
        if a.address.is_multiple_of(u64::from(a.align.max(1))) {
            return true;
        }
        let way = way(a);
        let who = who(a);
        self.report(
            group,
            Kind::Misaligned,
            (wave, at),
            lane_bit(a),
            None,
            || {
                let place = match a.place {
                    Place::Lds => "LDS address",
                    Place::Global => "address",
                    Place::Private => "private offset",
                };
                (
                    format!(
                        "{way}{who} at {place} {:#x}, which is not a multiple of {}",
                        a.address, a.align
                    ),
                    "align the address, or use narrower instructions".to_owned(),
                )
            },
        );
        false
    }

    fn check_lds(&mut self, group: &Group<'_>, wave: usize, at: usize, a: &Access, id: u32) {
        let size = self.lds.size;
        if a.address + u64::from(a.len) > u64::from(size) {
            let (way, who) = (way(a), who(a));
            let k = Kind::OutOfBounds;
            self.report(group, k, (wave, at), lane_bit(a), None, || {
                (
                    format!(
                        "{way} of {} bytes{who} at LDS address {:#x}: the workgroup has {size} bytes",
                        a.len, a.address
                    ),
                    "raise the kernel's LDS size, or bound the address".to_owned(),
                )
            });
            return;
        }
        let touch = Touch {
            address: a.address as u32,
            len: a.len,
            wave: wave as u8,
            at: at as u32,
            read: a.read,
            write: a.write,
            atomic: a.atomic,
            flight: id,
        };
        let mut clashes: Vec<Clash> = Vec::new();
        self.lds.touch(&touch, |c| {
            if !clashes.contains(&c) {
                clashes.push(c);
            }
        });
        for c in clashes {
            self.clash(group, wave, at, a, c);
        }
    }

    fn clash(&mut self, group: &Group<'_>, wave: usize, at: usize, a: &Access, clash: Clash) {
        let bit = lane_bit(a);
        let address = a.address;
        match clash {
            Clash::Uninit => {
                self.report(group, Kind::UninitLds, (wave, at), bit, None, || {
                    (
                        format!("LDS address {address:#x} is read, and nothing has written it"),
                        "write it before, in this workgroup".to_owned(),
                    )
                });
            }
            Clash::Own(past) => {
                let flights = &self.waves[wave].flights;
                // LDS instructions are in order among themselves; a load to LDS is not among them.
                let direct = flights
                    .get(past.flight)
                    .is_some_and(|f| f.counter == Counter::Vm);
                if !(direct && a.read) {
                    return;
                }
                let wait = flights.wait_for(past.flight);
                let earlier = Some((past.at, u32::from(past.wave)));
                let k = Kind::UseBeforeWait;
                self.report(group, k, (wave, at), bit, earlier, || {
                    (
                        format!(
                            "LDS address {address:#x} is read before the load to it is waited for"
                        ),
                        format!("{wait} between the two"),
                    )
                });
            }
            Clash::Race(past) => {
                let earlier = Some((past.at, u32::from(past.wave)));
                let what = if a.write { "writes" } else { "reads" };
                let kind = if past.carried {
                    Kind::LdsUnpublished
                } else {
                    Kind::LdsRace
                };
                self.report(group, kind, (wave, at), bit, earlier, || {
                    let fix = if past.carried {
                        "put the wait for the earlier access before the barrier".to_owned()
                    } else {
                        "wait for the earlier access, then s_barrier, between the two".to_owned()
                    };
                    let passed = if past.carried {
                        ": the barrier between them waits for nothing, and the access was outstanding there"
                    } else {
                        " with no barrier between"
                    };
                    (
                        format!(
                            "wave {wave} {what} LDS address {address:#x}, which wave {} accesses{passed}",
                            past.wave
                        ),
                        fix,
                    )
                });
            }
        }
    }
}

fn lane_bit(a: &Access) -> u64 {
    1u64.checked_shl(a.lane.into()).unwrap_or(0)
}

fn way(a: &Access) -> &'static str {
    match (a.atomic, a.write) {
        (true, _) => "atomic",
        (_, true) => "store",
        _ => "load",
    }
}

fn who(a: &Access) -> String {
    match a.lane {
        64 => String::new(),
        l => format!(" by lane {l}"),
    }
}
