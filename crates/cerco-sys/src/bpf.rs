//! Assembles a seccomp filter from rules that are data.
//!
//! The rules (which call, why) stand with the sandbox; here they only become classic BPF.
//! Arguments are compared on their low 32 bits: every argument the rules look at is an
//! `int` or smaller in the kernel, which throws the upper half away. Comparing all 64
//! bits would let a caller slip past with rubbish in the upper half (CVE-2019-10063).

/// What the kernel answers instead of doing the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This errno.
    Errno(i32),
}

/// A condition on one argument's low 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// At least one of these bits is set.
    AnyBit(u32),
    /// Exactly this value.
    Is(u32),
    /// None of these values.
    NotIn(&'static [u32]),
}

/// An argument (0 to 5) and what must hold for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// Which argument.
    pub argument: u8,
    /// The condition.
    pub test: Test,
}

/// One rule: the answer to `call` when every condition holds.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The native system call number.
    pub call: i64,
    /// All of these must hold; none means always.
    pub when: &'static [When],
    /// What the caller gets.
    pub answer: Answer,
}

/// One BPF instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    value: u32,
}

const LOAD: u16 = 0x20; // BPF_LD | BPF_W | BPF_ABS
const JUMP_EQUAL: u16 = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_AT_LEAST: u16 = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const JUMP_ANY_BIT: u16 = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN: u16 = 0x06; // BPF_RET | BPF_K

const RET_ALLOW: u32 = 0x7fff_0000;
const RET_ERRNO: u32 = 0x0005_0000;
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCHITECTURE: u32 = 4;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;

/// Bit 30 marks the x32 table of x86-64: other numbers, same architecture word.
const X32_BIT: u32 = 0x4000_0000;

/// The program: calls of another architecture or table get `EPERM`, then the rules in
/// order, then everything else is allowed. `None` when a rule can't be expressed
/// (a call number that is negative, an argument past 5, more than 250 values).
#[must_use]
pub fn assemble(rules: &[Rule]) -> Option<Vec<Instruction>> {
    let refuse_foreign = answer_word(Answer::Errno(libc::EPERM));
    let mut out = vec![
        load(OFFSET_ARCHITECTURE),
        jump(JUMP_EQUAL, ARCHITECTURE, 1, 0),
        ret(refuse_foreign),
        load(OFFSET_NUMBER),
    ];
    // -1 is not x32: a tracer uses it to skip a call, and every table answers ENOSYS.
    out.push(jump(JUMP_EQUAL, u32::MAX, 2, 0));
    out.push(jump(JUMP_AT_LEAST, X32_BIT, 0, 1));
    out.push(ret(refuse_foreign));
    for rule in rules {
        let body = body(rule)?;
        let number = u32::try_from(rule.call).ok()?;
        let skip = u8::try_from(body.len()).ok()?;
        out.push(jump(JUMP_EQUAL, number, 0, skip));
        out.extend(body);
    }
    out.push(ret(RET_ALLOW));
    Some(out)
}

/// The program as the bytes of `struct sock_filter[]` in native order, as a launcher
/// reads them from a descriptor.
#[must_use]
pub fn to_bytes(program: &[Instruction]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(program.len() * 8);
    for i in program {
        bytes.extend(i.code.to_ne_bytes());
        bytes.extend([i.if_true, i.if_false]);
        bytes.extend(i.value.to_ne_bytes());
    }
    bytes
}

/// What stands after the comparison with the call's number.
fn body(rule: &Rule) -> Option<Vec<Instruction>> {
    let verdict = ret(answer_word(rule.answer));
    if rule.when.is_empty() {
        return Some(vec![verdict]);
    }
    // Where a condition fails, control goes to the last instruction, which loads the
    // call's number again for the rules that follow.
    let mut conditions: Vec<Instruction> = Vec::new();
    let lengths: Vec<usize> = rule.when.iter().map(|w| length(w.test)).collect();
    let total: usize = lengths.iter().sum::<usize>() + 1;
    for when in rule.when {
        let offset = argument_offset(when.argument)?;
        conditions.push(load(offset));
        match when.test {
            Test::AnyBit(mask) => {
                let past = past(total, conditions.len())?;
                conditions.push(jump(JUMP_ANY_BIT, mask, 0, past));
            }
            Test::Is(value) => {
                let past = past(total, conditions.len())?;
                conditions.push(jump(JUMP_EQUAL, value, 0, past));
            }
            Test::NotIn(values) => {
                for value in values {
                    let past = past(total, conditions.len())?;
                    conditions.push(jump(JUMP_EQUAL, *value, past, 0));
                }
            }
        }
    }
    conditions.push(verdict);
    conditions.push(load(OFFSET_NUMBER));
    Some(conditions)
}

/// How many instructions a condition takes.
fn length(test: Test) -> usize {
    match test {
        Test::AnyBit(_) | Test::Is(_) => 2,
        Test::NotIn(values) => 1 + values.len(),
    }
}

/// The jump from the instruction at `index` over the verdict, `total` being the index of
/// the instruction after it.
fn past(total: usize, index: usize) -> Option<u8> {
    u8::try_from(total.checked_sub(index + 1)?).ok()
}

fn argument_offset(argument: u8) -> Option<u32> {
    let low_half = if cfg!(target_endian = "big") { 4 } else { 0 };
    (argument < 6).then(|| 16 + 8 * u32::from(argument) + low_half)
}

fn answer_word(answer: Answer) -> u32 {
    match answer {
        Answer::Errno(number) => RET_ERRNO | (number.unsigned_abs() & 0xffff),
    }
}

fn load(offset: u32) -> Instruction {
    jump(LOAD, offset, 0, 0)
}

fn ret(value: u32) -> Instruction {
    jump(RETURN, value, 0, 0)
}

fn jump(code: u16, value: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction {
        code,
        if_true,
        if_false,
        value,
    }
}

/// Runs a program on a call, as the kernel would: for tests of rules, here and in the
/// crate that writes them. `None` when the program runs out of its own end.
#[must_use]
pub fn simulate(
    program: &[Instruction],
    architecture: u32,
    number: u32,
    arguments: [u64; 6],
) -> Option<u32> {
    let mut at = 0usize;
    let mut word = 0u32;
    loop {
        let i = program.get(at)?;
        at += 1;
        let taken = match i.code {
            LOAD => {
                word = match i.value {
                    OFFSET_NUMBER => number,
                    OFFSET_ARCHITECTURE => architecture,
                    offset => {
                        let index = usize::try_from(offset.checked_sub(16)? / 8).ok()?;
                        u32::try_from(arguments.get(index)? & 0xffff_ffff).ok()?
                    }
                };
                continue;
            }
            RETURN => return Some(i.value),
            JUMP_EQUAL => word == i.value,
            JUMP_AT_LEAST => word >= i.value,
            JUMP_ANY_BIT => word & i.value != 0,
            _ => return None,
        };
        at += usize::from(if taken { i.if_true } else { i.if_false });
    }
}

/// The kernel's word for this machine's architecture.
#[must_use]
pub fn native_architecture() -> u32 {
    ARCHITECTURE
}

/// The errno a filter's answer carries, where it is one.
#[must_use]
pub fn errno_of(word: u32) -> Option<i32> {
    (word & 0xffff_0000 == RET_ERRNO)
        .then(|| i32::try_from(word & 0xffff).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[Rule] = &[
        Rule {
            call: 10,
            when: &[],
            answer: Answer::Errno(1),
        },
        Rule {
            call: 20,
            when: &[When {
                argument: 1,
                test: Test::AnyBit(0x30),
            }],
            answer: Answer::Errno(2),
        },
        Rule {
            call: 20,
            when: &[
                When {
                    argument: 0,
                    test: Test::NotIn(&[1, 2]),
                },
                When {
                    argument: 2,
                    test: Test::Is(7),
                },
            ],
            answer: Answer::Errno(3),
        },
    ];

    fn check(number: u32, arguments: [u64; 6], expected: Option<i32>) {
        let program = assemble(RULES).unwrap();
        let word = simulate(&program, ARCHITECTURE, number, arguments).unwrap();
        assert_eq!(errno_of(word), expected, "call {number} {arguments:?}");
        assert!(expected.is_some() || word == RET_ALLOW);
    }

    #[test]
    fn rules_answer_in_order_and_the_rest_is_allowed() {
        check(10, [0; 6], Some(1));
        check(11, [0; 6], None);
        check(20, [1, 0x10, 0, 0, 0, 0], Some(2));
        check(20, [1, 0x40, 7, 0, 0, 0], None);
        check(20, [3, 0x40, 7, 0, 0, 0], Some(3));
        check(20, [3, 0x40, 8, 0, 0, 0], None);
    }

    #[test]
    fn the_upper_half_of_an_argument_hides_nothing() {
        check(20, [1, 0xffff_ffff_0000_0010, 0, 0, 0, 0], Some(2));
        check(20, [0xdead_0000_0001, 0, 7, 0, 0, 0], None);
    }

    #[test]
    fn another_architecture_or_table_is_refused() {
        let program = assemble(RULES).unwrap();
        for (architecture, number) in [(0x4000_0003, 11), (ARCHITECTURE, X32_BIT | 0xb)] {
            let word = simulate(&program, architecture, number, [0; 6]).unwrap();
            assert_eq!(errno_of(word), Some(libc::EPERM));
        }
    }

    #[test]
    fn a_rule_that_does_not_fit_is_no_filter() {
        let rules = [Rule {
            call: -1,
            when: &[],
            answer: Answer::Errno(1),
        }];
        assert!(assemble(&rules).is_none());
    }
}
