//! Limits for functions in C, which can take long without an instruction of Lua, after which the hook would end them.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mlua::{Function, Lua, MultiValue, Table, Value as LuaValue};

/// Argo CD's own limit for the time of one run, for functions in C that take long for few instructions.
pub(super) const LONGEST: Duration = Duration::from_secs(1);
/// The limit for texts that functions create at once.
const LONGEST_TEXT: usize = 1 << 20;
/// The limit for the steps of a match of a pattern, which backtracks.
const MOST_STEPS: u128 = 100_000_000;
/// The bytes of a pattern that are compared as fast as one step.
const STEP: u128 = 16;

/// The reason why a rule that takes too long fails.
pub(super) fn too_long() -> mlua::Error {
    mlua::Error::runtime("it takes too long")
}

/// Limits the functions of all libraries that a rule has.
pub(super) fn apply(lua: &Lua, is_spent: &Rc<Cell<bool>>) -> mlua::Result<()> {
    let globals = lua.globals();
    ignore_finalizers(lua, &globals)?;
    let table: Table = globals.get("table")?;
    for name in ["concat", "insert", "remove", "sort"] {
        limit(lua, &table, name, is_spent, check_length)?;
    }
    let LuaValue::Table(texts) = globals.get::<LuaValue>("string")? else { return Ok(()) };
    texts.set("dump", LuaValue::Nil)?;
    for name in ["find", "match", "gmatch", "gsub"] {
        limit(lua, &texts, name, is_spent, check_pattern)?;
    }
    limit_repetition(lua, &texts)
}

/// Sets metatables without their finalizers, which would run without the hook, and even after the end of the rule.
/// Argo CD's interpreter has none.
fn ignore_finalizers(lua: &Lua, globals: &Table) -> mlua::Result<()> {
    let original: Function = globals.get("setmetatable")?;
    let without_finalizer = lua.create_function(move |_, (table, meta): (LuaValue, LuaValue)| {
        let LuaValue::Table(fields) = &meta else { return original.call::<LuaValue>((table, meta)) };
        // An object is finalized only if its metatable has the field at the time at which it is set.
        let finalizer: LuaValue = fields.raw_get("__gc")?;
        fields.raw_set("__gc", LuaValue::Nil)?;
        let result = original.call::<LuaValue>((table, fields));
        fields.raw_set("__gc", finalizer)?;
        result
    })?;
    globals.set("setmetatable", without_finalizer)
}

/// Replaces a function by one that ends with the time of the rule, and first checks its arguments.
fn limit(
    lua: &Lua,
    library: &Table,
    name: &str,
    is_spent: &Rc<Cell<bool>>,
    check: fn(&MultiValue) -> mlua::Result<()>,
) -> mlua::Result<()> {
    let original: Function = library.get(name)?;
    let (deadline, spent) = (Instant::now() + LONGEST, Rc::clone(is_spent));
    let limited = lua.create_function(move |_, arguments: MultiValue| {
        if Instant::now() > deadline {
            spent.set(true);
            return Err(too_long());
        }
        check(&arguments)?;
        original.call::<MultiValue>(arguments)
    })?;
    library.set(name, limited)
}

/// Refuses a list that has another length than its items.
fn check_length(arguments: &MultiValue) -> mlua::Result<()> {
    let Some(LuaValue::Table(list)) = arguments.front() else { return Ok(()) };
    match list.metatable().map(|meta| meta.raw_get::<LuaValue>("__len")).transpose()? {
        None | Some(LuaValue::Nil) => Ok(()),
        Some(_) => Err(mlua::Error::runtime("a list cannot set its length")),
    }
}

fn check_pattern(arguments: &MultiValue) -> mlua::Result<()> {
    let text = |index: usize| match arguments.get(index) {
        Some(LuaValue::String(text)) => text.as_bytes().to_vec(),
        _ => Vec::new(),
    };
    match steps_of_match(&text(0), &text(1)) <= MOST_STEPS {
        true => Ok(()),
        false => Err(mlua::Error::runtime("the pattern takes too long for a text of this length")),
    }
}

/// Returns a limit for the steps of a match: from each position, the text can be divided among the repetitions of the
/// pattern in each possible way, and each way compares the pattern, and the text with what an item like `%b()` or `%1`
/// stands for.
fn steps_of_match(subject: &[u8], pattern: &[u8]) -> u128 {
    let length = subject.len() as u128 + 1;
    let count = |is_wanted: fn(&[u8]) -> bool| pattern.windows(2).filter(|pair| is_wanted(pair)).count() as u128;
    let repetitions =
        count(|pair| matches!(pair, [before, b'*' | b'+' | b'-' | b'?'] if !matches!(before, b'(' | b')' | b'^')));
    let long_items = count(|pair| matches!(pair, [b'%', b'b' | b'1'..=b'9']));
    let ways = (1..=repetitions).try_fold(1u128, |ways, index| Some(ways.checked_mul(length + index)? / index));
    let starts = if pattern.starts_with(b"^") { 1 } else { length };
    let each = 1 + pattern.len() as u128 / STEP + long_items.saturating_mul(length);
    ways.and_then(|ways| ways.checked_mul(starts)?.checked_mul(each)).unwrap_or(u128::MAX)
}

fn limit_repetition(lua: &Lua, texts: &Table) -> mlua::Result<()> {
    let repeat =
        lua.create_function(|_, (text, times, between): (mlua::LuaString, f64, Option<mlua::LuaString>)| {
            let between = between.map(|between| between.as_bytes().to_vec()).unwrap_or_default();
            let times = if times >= 1.0 { times as usize } else { 0 };
            match (text.as_bytes().len() + between.len() + 1).checked_mul(times).is_some_and(|all| all <= LONGEST_TEXT)
            {
                true => Ok(mlua::BString::from(vec![text.as_bytes().to_vec(); times].join(between.as_slice()))),
                false => Err(mlua::Error::runtime("the text is too long")),
            }
        })?;
    texts.set("rep", repeat)
}
