//! Runs the health rules of Argo CD, in a Lua without input and output, and with limits for instructions, time, and
//! memory. A rule that fails costs only the verdict of its own object.
//!
//! Argo CD's interpreter is Lua 5.1 with `goto`. Of the versions in C, 5.2 has `goto` as well; functions of 5.1 that are
//! missing in it are added.

mod limits;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use mlua::chunk::ChunkMode;
use mlua::{Function, HookTriggers, Lua, LuaOptions, MultiValue, StdLib, Table, Value as LuaValue, VmState};
use serde_json::Value;

use crate::failure::{Failure, fail};
use crate::model::health_rule::{HealthRule, RuleLibraries};
use crate::model::verdict::Verdict;

/// The health that a rule returns for an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RuleHealth {
    /// The status: `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing`, or another word.
    pub(super) status: String,
    /// The message; may be empty.
    pub(super) message: String,
}

impl RuleHealth {
    /// Returns the verdict of this health, and its words.
    pub(super) fn into_verdict(self) -> (Verdict, String) {
        let verdict = match self.status.as_str() {
            "Healthy" => Verdict::Ok,
            "Progressing" => Verdict::Progressing,
            "Degraded" => Verdict::Failed,
            "Suspended" => Verdict::Paused,
            _ => Verdict::Unknown,
        };
        let colon = if self.message.trim().is_empty() { "" } else { ": " };
        (verdict, format!("{}{colon}{}", self.status, self.message.trim()))
    }
}

/// The limit for the instructions of one run.
const MOST_INSTRUCTIONS: u64 = 5_000_000;
/// The number of instructions between two checks.
const STEP: u32 = 100;
/// The limit for the memory of one run, including the object.
const MOST_MEMORY: usize = 64 << 20;
/// Functions of the basic library that read files, load code, or print.
const REMOVED: [&str; 8] =
    ["collectgarbage", "dofile", "load", "loadfile", "loadstring", "print", "require", "getmetatable"];

/// Runs a rule for an object. Returns `None` if the rule does not decide.
///
/// # Errors
/// Returns the reason why the rule failed.
pub(super) fn run(rule: &HealthRule, object: &Value, now: Timestamp) -> Result<Option<RuleHealth>, Failure> {
    let told = |error: mlua::Error| {
        let text = error.to_string();
        text.lines().next().unwrap_or_default().trim_start_matches("runtime error: ").to_owned()
    };
    let lua = interpreter(rule.libraries).map_err(told)?;
    match run_script(&lua, rule, object, now).map_err(told)? {
        LuaValue::Nil => Ok(None),
        LuaValue::Table(table) => health(&table),
        other => fail!("it must return a table, and returned {}", other.type_name()),
    }
}

fn health(table: &Table) -> Result<Option<RuleHealth>, Failure> {
    let text = |key: &str| match table.raw_get::<LuaValue>(key) {
        Ok(LuaValue::String(text)) => Ok(text.to_string_lossy()),
        Ok(LuaValue::Nil) => Ok(String::new()),
        _ => fail!("{key} is not a text"),
    };
    let found = RuleHealth { status: text("status")?, message: text("message")? };
    Ok((!found.status.is_empty()).then_some(found))
}

fn interpreter(libraries: RuleLibraries) -> mlua::Result<Lua> {
    let libraries = match libraries {
        RuleLibraries::Restricted => StdLib::TABLE,
        RuleLibraries::Open => StdLib::TABLE | StdLib::STRING | StdLib::MATH,
    };
    let lua = Lua::new_with(libraries, LuaOptions::new().catch_rust_panics(false))?;
    lua.set_memory_limit(MOST_MEMORY)?;
    Ok(lua)
}

fn run_script(lua: &Lua, rule: &HealthRule, object: &Value, now: Timestamp) -> mlua::Result<LuaValue> {
    let is_spent = Rc::new(Cell::new(false));
    let (left, began, spent) = (Cell::new(MOST_INSTRUCTIONS / u64::from(STEP)), Instant::now(), Rc::clone(&is_spent));
    lua.set_global_hook(HookTriggers::new().every_nth_instruction(STEP), move |_, _| {
        left.set(left.get().saturating_sub(1));
        if left.get() == 0 || began.elapsed() > limits::LONGEST {
            spent.set(true);
            return Err(limits::too_long());
        }
        Ok(VmState::Continue)
    })?;
    prepare(lua, now, &is_spent)?;
    lua.globals().set("obj", to_lua(lua, object)?)?;
    // A text, since compiled code can break the interpreter.
    let script = lua.load(&rule.script).set_name("=health.lua").set_mode(ChunkMode::Text).into_function()?;
    script.call::<LuaValue>(())
}

/// Removes what reaches beyond the script, and limits what the hook does not see: functions in C.
fn prepare(lua: &Lua, now: Timestamp, is_spent: &Rc<Cell<bool>>) -> mlua::Result<()> {
    let globals = lua.globals();
    for name in REMOVED {
        globals.set(name, LuaValue::Nil)?;
    }
    // A rule must not catch the end of its time.
    let spent = Rc::clone(is_spent);
    let protected = lua.create_function(move |lua, (function, arguments): (Function, MultiValue)| {
        let mut results = match function.call::<MultiValue>(arguments) {
            Err(error) if spent.get() => return Err(error),
            Err(error) => {
                let message = lua.create_string(error.to_string())?;
                return Ok(MultiValue::from_vec(vec![LuaValue::Boolean(false), LuaValue::String(message)]));
            }
            Ok(results) => results,
        };
        results.push_front(LuaValue::Boolean(true));
        Ok(results)
    })?;
    globals.set("pcall", protected)?;
    globals.set("xpcall", LuaValue::Nil)?;
    let table: Table = globals.get("table")?;
    globals.set("unpack", table.get::<LuaValue>("unpack")?)?;
    table.set("getn", lua.create_function(|_, list: Table| Ok(list.raw_len()))?)?;
    let clock = clock(lua, now)?;
    globals.set("os", &clock)?;
    let require = lua.create_function(move |_, name: String| match name.as_str() {
        "os" => Ok(clock.clone()),
        _ => Err(mlua::Error::runtime(format!("module {name} is not available"))),
    })?;
    globals.set("require", require)?;
    limits::apply(lua, is_spent)
}

/// Returns `os` with the time of the cluster state, and nothing else.
fn clock(lua: &Lua, now: Timestamp) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let time = lua.create_function(move |_, fields: Option<Table>| {
        let Some(fields) = fields else { return Ok(now.as_second()) };
        let field = |key: &str, or: i64| Ok::<i64, mlua::Error>(fields.get::<Option<i64>>(key)?.unwrap_or(or));
        let narrow = |value: i64| i8::try_from(value).unwrap_or(-1);
        let year = i16::try_from(field("year", -1)?).unwrap_or(-1);
        let (month, day) = (narrow(field("month", -1)?), narrow(field("day", -1)?));
        let (hour, minute, second) = (narrow(field("hour", 12)?), narrow(field("min", 0)?), narrow(field("sec", 0)?));
        let date = DateTime::new(year, month, day, hour, minute, second, 0);
        let date = date.and_then(|date| date.to_zoned(TimeZone::UTC)).map_err(mlua::Error::external)?;
        Ok(date.timestamp().as_second())
    })?;
    table.set("time", time)?;
    let date = lua.create_function(move |_, (format, time): (Option<String>, Option<f64>)| {
        let seconds =
            time.map_or(Ok(now), |time| Timestamp::from_second(time as i64)).map_err(mlua::Error::external)?;
        let format = format.unwrap_or_else(|| "%c".to_owned());
        let zoned = seconds.to_zoned(TimeZone::UTC);
        jiff::fmt::strtime::format(format.trim_start_matches('!'), &zoned).map_err(mlua::Error::external)
    })?;
    table.set("date", date)?;
    Ok(table)
}

/// Converts a value. Null is absent, as in Argo CD.
fn to_lua(lua: &Lua, value: &Value) -> mlua::Result<LuaValue> {
    Ok(match value {
        Value::Null => LuaValue::Nil,
        Value::Bool(flag) => LuaValue::Boolean(*flag),
        Value::Number(number) => LuaValue::Number(number.as_f64().unwrap_or_default()),
        Value::String(text) => LuaValue::String(lua.create_string(text)?),
        Value::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for (index, item) in items.iter().enumerate() {
                table.raw_set(index + 1, to_lua(lua, item)?)?;
            }
            LuaValue::Table(table)
        }
        Value::Object(fields) => {
            let table = lua.create_table_with_capacity(0, fields.len())?;
            for (key, field) in fields {
                table.raw_set(key.as_str(), to_lua(lua, field)?)?;
            }
            LuaValue::Table(table)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::health_rule::HealthRules;
    use crate::model::kind::ResourceKind;
    use serde_json::json;

    fn rule(script: &str, is_open: bool) -> HealthRule {
        let data = json!({
            "resource.customizations.health.example.org_Widget": script,
            "resource.customizations.useOpenLibs.example.org_Widget": is_open.to_string(),
        });
        let rules = HealthRules::from_file("f", &data.to_string()).unwrap();
        rules.rule_for(&ResourceKind::guess("example.org", "Widget")).unwrap().clone()
    }

    fn run_on(script: &str, is_open: bool, object: &Value) -> Result<Option<RuleHealth>, Failure> {
        run(&rule(script, is_open), object, "2026-11-20T09:10:00Z".parse().unwrap())
    }

    #[test]
    fn a_rule_reads_its_object_and_nothing_else() {
        let object = json!({"metadata": {"name": "a"}, "status": {"phase": "Up", "list": [1, 2], "none": null}});
        let told = |script: &str| run_on(script, true, &object).unwrap().unwrap().message;
        assert_eq!(told("return {status = 'Healthy', message = obj.status.phase .. #obj.status.list}"), "Up2");
        assert_eq!(told("hs = {status = 'Healthy'} hs.message = tostring(obj.status.none) return hs"), "nil");
        assert_eq!(told("return {status = 'Healthy', message = tostring(os.time())}"), "1795165800");
        assert_eq!(told("return {status = 'Healthy', message = os.date('!%Y-%m-%d')}"), "2026-11-20");
        assert_eq!(
            told("for i = 1, 3 do if i == 2 then goto done end end ::done:: return {status = 'a', message = 'b'}"),
            "b"
        );
        assert_eq!(told("local ok = pcall(error, 'x') return {status = 'a', message = tostring(ok)}"), "false");
        assert_eq!(told("return {status = 'a', message = ('1.2.3'):match('^(%d+)%.')}"), "1");
        for name in [
            "io",
            "debug",
            "package",
            "load",
            "loadstring",
            "dofile",
            "coroutine",
            "os.execute",
            "os.getenv",
            "string.dump",
        ] {
            assert_eq!(told(&format!("return {{status = 'a', message = tostring({name})}}")), "nil", "{name}");
        }
        assert_eq!(run_on("return nil", false, &object), Ok(None));
        assert_eq!(run_on("return {}", false, &object), Ok(None));
        assert!(run_on("return ('a'):upper()", false, &object).is_err(), "libraries are not open by default");
    }

    /// A function that makes a long text without a library.
    const LONG: &str = "local function long(text, times) for i = 1, times do text = text .. text end return text end";

    #[test]
    fn a_finalizer_does_not_run() {
        for script in [
            "kept = setmetatable({}, {__gc = function() while true do end end}) return {status = 'Degraded'}",
            "local meta = {__gc = function() while true do end end, __index = {status = 'Degraded'}}
             local list = {} for i = 1, 5e3 do list = setmetatable({}, meta) end return {status = list.status}",
            "local meta = {} setmetatable({}, meta) meta.__gc = function() while true do end end return {status = 'Degraded'}",
        ] {
            let told = run_on(script, false, &json!({}));
            assert_eq!(
                told.map(|health| health.map(|health| health.status)),
                Ok(Some("Degraded".to_owned())),
                "{script}"
            );
        }
        let kept =
            "local meta = {__gc = 1} setmetatable({}, meta) return {status = 'a', message = tostring(meta.__gc)}";
        assert_eq!(run_on(kept, false, &json!({})).unwrap().unwrap().message, "1", "the table is not changed");
        let protected = "setmetatable(setmetatable({}, {__metatable = 1}), {})";
        assert!(run_on(protected, false, &json!({})).is_err());
    }

    #[test]
    fn a_rule_that_loops_or_fails_ends_with_a_reason() {
        for script in [
            "while true do end",
            "while true do pcall(function() while true do end end) end",
            "local t = {} while true do t[#t + 1] = ('x'):rep(100000) end",
            "return ('x'):rep(1e18)",
            "return (''):rep(1e18)",
            "return (('a'):rep(5000)):find('.-.-.-.-.-b')",
            "local t = {} for i = 1, 1e6 do t[i] = i end for i = 1, 1e6 do table.insert(t, 1, i) end",
            "local function f() return f() + 1 end f()",
            "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) return t[1]",
            "return 1",
            "return {status = {}}",
            "return obj.nothing.there",
            "this is no script",
            "\u{1b}Lua",
            "require('io')",
            "setmetatable({}, {__gc = function() while true do end end}) while true do end",
            "table.insert(setmetatable({}, {__len = function() return 2 ^ 31 - 2 end}), 1, 1)",
            "table.remove(setmetatable({}, {__len = function() return 2 ^ 31 - 2 end}), 1)",
            "local t = {} for i = 1, 4e5 do t[i] = i end for i = 1, 1000 do table.sort(t) end",
            &format!("{LONG} return long('(', 20):find('%b()x')"),
            &format!("{LONG} return long('a', 24):find('^(.*)%1x')"),
            &format!("{LONG} return long('a', 20):find(long('a', 19) .. 'b')"),
            &format!("{LONG} return long('a', 20):find(long('a', 19) .. 'b', 1, true)"),
        ] {
            let told = run_on(script, true, &json!({}));
            assert!(told.as_ref().is_err_and(|reason| !reason.as_str().is_empty()), "{script}: {told:?}");
        }
    }
}
