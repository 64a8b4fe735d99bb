//! Parses a template into nodes. Accepts the same templates as client-go's `util/jsonpath/parser.go`.

use std::fmt;

use serde_json::{Number, Value};

use super::path::{ComparisonOperator, FilterTest, JsonPathStep, ListSlice, SliceEnd, TemplateNode};

/// A syntax error in a template.
#[derive(Debug)]
pub(super) struct TemplateParseError {
    pub(super) message: String,
    /// The position in characters, starting at 1.
    pub(super) position: usize,
}

impl fmt::Display for TemplateParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at character {}", self.message, self.position)
    }
}

type Result<T> = std::result::Result<T, TemplateParseError>;

/// Parses a whole template.
pub(super) fn parse(template: &str) -> Result<Vec<TemplateNode>> {
    let mut parser = TemplateParser { input: template, position: 0 };
    let mut nodes = Vec::new();
    let mut open_ranges = 0_usize;
    while !parser.rest().is_empty() {
        let text = parser.take_until(|character| character == '{');
        if !text.is_empty() {
            nodes.push(TemplateNode::Text(text.to_owned()));
        }
        let start = parser.position;
        if parser.next().is_none() {
            break;
        }
        let node = parser.action()?;
        match node {
            TemplateNode::Range(_) => open_ranges += 1,
            TemplateNode::End if open_ranges == 0 => return Err(parser.error(start, "not in range, nothing to end")),
            TemplateNode::End => open_ranges -= 1,
            TemplateNode::Text(_) | TemplateNode::Path(_) => {}
        }
        nodes.push(node);
    }
    Ok(nodes)
}

/// The type of an action, determined by its identifiers.
enum ActionRole {
    Path,
    Range,
    End,
}

struct TemplateParser<'a> {
    input: &'a str,
    /// The position in bytes.
    position: usize,
}

impl<'a> TemplateParser<'a> {
    fn rest(&self) -> &'a str {
        &self.input[self.position..]
    }

    fn next(&mut self) -> Option<char> {
        let character = self.rest().chars().next()?;
        self.position += character.len_utf8();
        Some(character)
    }

    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.position += prefix.len();
        }
        found
    }

    fn take_until(&mut self, stop: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let text = &rest[..rest.find(stop).unwrap_or(rest.len())];
        self.position += text.len();
        text
    }

    fn error(&self, position: usize, message: impl Into<String>) -> TemplateParseError {
        TemplateParseError { message: message.into(), position: self.input[..position].chars().count() + 1 }
    }

    /// Parses the contents of braces after the opening brace.
    fn action(&mut self) -> Result<TemplateNode> {
        let mut role = ActionRole::Path;
        let mut steps = Vec::new();
        loop {
            let start = self.position;
            if self.take("[?(") {
                steps.push(self.filter(start)?);
                continue;
            }
            if self.take("..") {
                if steps.last() == Some(&JsonPathStep::Recursive) {
                    return Err(self.error(start, "invalid multiple recursive descent"));
                }
                steps.push(JsonPathStep::Recursive);
                if self.rest().starts_with(is_word) {
                    steps.push(self.field());
                }
                continue;
            }
            match self.next() {
                Some('}') => break,
                None | Some('\n' | '\r') => return Err(self.error(start, "unclosed action")),
                // The current object, with which every path starts.
                Some(' ' | '@' | '$') => {}
                Some('.') => steps.push(self.field()),
                Some('[') => self.brackets(start, &mut steps)?,
                Some(quote @ ('"' | '\'')) => steps.push(self.quoted(start, quote)?),
                Some('+' | '-' | '0'..='9') => steps.push(self.number(start)?),
                Some(character) if is_word(character) => match (self.identifier(start), &role) {
                    ("true", _) => steps.push(JsonPathStep::Constant(Value::Bool(true))),
                    ("false", _) => steps.push(JsonPathStep::Constant(Value::Bool(false))),
                    ("range", ActionRole::Path) => role = ActionRole::Range,
                    ("end", ActionRole::Path) => role = ActionRole::End,
                    (name @ ("range" | "end"), _) => return Err(self.error(start, format!("unexpected {name}"))),
                    (name, _) => return Err(self.error(start, format!("unrecognized identifier {name}"))),
                },
                Some(character) => {
                    let code = u32::from(character);
                    let message = format!("unrecognized character in action: U+{code:04X} '{character}'");
                    return Err(self.error(start, message));
                }
            }
        }
        Ok(match role {
            ActionRole::Path => TemplateNode::Path(steps),
            ActionRole::Range => TemplateNode::Range(steps),
            ActionRole::End => TemplateNode::End,
        })
    }

    fn identifier(&mut self, start: usize) -> &'a str {
        self.take_until(is_terminator);
        &self.input[start..self.position]
    }

    /// Parses the field name after a dot. A backslash escapes the next character.
    fn field(&mut self) -> JsonPathStep {
        let start = self.position;
        loop {
            self.take_until(|character| character == '\\' || is_terminator(character));
            if !self.take("\\") {
                break;
            }
            self.next();
        }
        match &self.input[start..self.position] {
            "*" => JsonPathStep::Wildcard,
            name => JsonPathStep::Field(name.replace('\\', "")),
        }
    }

    fn number(&mut self, start: usize) -> Result<JsonPathStep> {
        self.take_until(|character| character != '.' && !character.is_ascii_digit());
        let text = &self.input[start..self.position];
        let number = match text.parse::<i64>() {
            Ok(integer) => Some(Number::from(integer)),
            Err(_) => text.parse::<f64>().ok().and_then(Number::from_f64),
        };
        match number {
            Some(number) => Ok(JsonPathStep::Constant(Value::Number(number))),
            None => Err(self.error(start, format!("cannot parse number {text}"))),
        }
    }

    fn quoted(&mut self, start: usize, quote: char) -> Result<JsonPathStep> {
        loop {
            self.take_until(|character| character == '\n' || character == quote);
            if !self.rest().starts_with(quote) {
                return Err(self.error(start, "unterminated quoted string"));
            }
            self.position += quote.len_utf8();
            if !self.input[..self.position - 1].ends_with('\\') {
                break;
            }
        }
        let text = &self.input[start + 1..self.position - 1];
        match unquote(text, quote) {
            Some(text) => Ok(JsonPathStep::Text(text)),
            None => {
                Err(self
                    .error(start, format!("unquote string {} error invalid syntax", &self.input[start..self.position])))
            }
        }
    }

    /// Parses the contents of `[…]` after the opening bracket.
    fn brackets(&mut self, start: usize, steps: &mut Vec<JsonPathStep>) -> Result<()> {
        let text = self.take_until(|character| character == '\n' || character == ']');
        if !self.take("]") {
            return Err(self.error(start, "unterminated array"));
        }
        let parts: Vec<_> = text.split(',').collect();
        if parts.len() > 1 {
            let paths = parts.into_iter().map(|part| self.path(start, &format!("[{}]", part.trim_matches(' '))));
            steps.push(JsonPathStep::Union(paths.collect::<Result<_>>()?));
            return Ok(());
        }
        let key = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            steps.extend(self.path(start, &format!(".{key}"))?);
            return Ok(());
        }
        steps.push(JsonPathStep::Slice(self.slice(start, text)?));
        Ok(())
    }

    fn slice(&self, start: usize, text: &str) -> Result<ListSlice> {
        if text == "*" {
            return Ok(ListSlice { start: None, end: SliceEnd::Open, step: None });
        }
        let number = |text: &str| match text.strip_prefix('-').unwrap_or(text) {
            digits if !digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(self.error(start, format!("invalid array index {text}")))
            }
            _ if text.is_empty() => Ok(None),
            _ => text.parse().map(Some).map_err(|_| self.error(start, format!("array index {text} is not a number"))),
        };
        let mut parts = text.splitn(3, ':').map(number);
        let mut next = || parts.next().transpose();
        let first = next()?.flatten();
        let end = match next()? {
            None => SliceEnd::AfterStart,
            Some(None) => SliceEnd::Open,
            Some(Some(end)) => SliceEnd::Before(end),
        };
        Ok(ListSlice { start: first, end, step: next()?.flatten() })
    }

    /// Parses the contents of `[?(…)]`. Like client-go, ends at the first `)` outside of the first quoted text.
    fn filter(&mut self, start: usize) -> Result<JsonPathStep> {
        let inside = self.position;
        let mut opened = None;
        let mut closed = false;
        loop {
            let before = self.position;
            match self.next() {
                None | Some('\n') => return Err(self.error(start, "unterminated filter")),
                Some(quote @ ('"' | '\'')) => match opened {
                    None => opened = Some(quote),
                    Some(pair) => closed |= pair == quote && !self.input[..before].ends_with('\\'),
                },
                Some(')') if opened.is_some() == closed => break,
                Some(_) => {}
            }
        }
        let text = &self.input[inside..self.position - 1];
        if !self.take("]") {
            return Err(self.error(self.position, "unclosed array expect ]"));
        }
        let Some((left, operator, right)) = split_comparison(text) else {
            return Ok(JsonPathStep::Filter { left: self.path(inside, text)?, test: FilterTest::Exists });
        };
        let left_steps = self.path(inside, left)?;
        let operator_position = inside + left.len();
        let right_steps = self.path(operator_position + operator.len(), right)?;
        let operator = match operator {
            "==" => ComparisonOperator::Equal,
            "!=" => ComparisonOperator::NotEqual,
            "<" => ComparisonOperator::Less,
            "<=" => ComparisonOperator::LessOrEqual,
            ">" => ComparisonOperator::Greater,
            ">=" => ComparisonOperator::GreaterOrEqual,
            _ => return Err(self.error(operator_position, format!("unrecognized filter operator {operator}"))),
        };
        Ok(JsonPathStep::Filter { left: left_steps, test: FilterTest::Compare(operator, right_steps) })
    }

    /// Parses a path in brackets or parentheses. Errors are reported at its start.
    fn path(&self, start: usize, text: &str) -> Result<Vec<JsonPathStep>> {
        let nodes = parse(&format!("{{{text}}}")).map_err(|error| self.error(start, error.message))?;
        match nodes.into_iter().next() {
            Some(TemplateNode::Path(steps)) => Ok(steps),
            _ => Err(self.error(start, format!("range and end are not allowed in {text}"))),
        }
    }
}

/// Splits at the first run of comparison characters with text on both sides.
fn split_comparison(text: &str) -> Option<(&str, &str, &str)> {
    let is_comparison = |character| matches!(character, '!' | '<' | '>' | '=');
    let start = text.find(is_comparison).filter(|start| *start > 0)?;
    let (left, rest) = text.split_at(start);
    let mut length = rest.find(|character| !is_comparison(character)).unwrap_or(rest.len());
    if length == rest.len() {
        length -= 1;
    }
    (length > 0).then(|| (left, &rest[..length], &rest[length..]))
}

/// Resolves Go's escapes in a quoted text; `None` if they are malformed, or if their bytes are not UTF-8.
fn unquote(text: &str, quote: char) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let character = match character {
            '\\' => match rest.next()? {
                'a' => '\x07',
                'b' => '\x08',
                'f' => '\x0c',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\x0b',
                '\\' => '\\',
                escaped if escaped == quote => quote,
                'u' => char::from_u32(parse_digits(&mut rest, 4, 16)?)?,
                'U' => char::from_u32(parse_digits(&mut rest, 8, 16)?)?,
                // Both escape single bytes, several of which may form one character.
                'x' => {
                    bytes.push(u8::try_from(parse_digits(&mut rest, 2, 16)?).ok()?);
                    continue;
                }
                first @ '0'..='7' => {
                    let code = first.to_digit(8)? * 64 + parse_digits(&mut rest, 2, 8)?;
                    bytes.push(u8::try_from(code).ok()?);
                    continue;
                }
                _ => return None,
            },
            character => character,
        };
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// Parses the next `length` digits as a number.
fn parse_digits(rest: &mut std::str::Chars<'_>, length: usize, radix: u32) -> Option<u32> {
    let mut code = 0_u32;
    for _ in 0..length {
        code = code.checked_mul(radix)?.checked_add(rest.next()?.to_digit(radix)?)?;
    }
    Some(code)
}

/// Returns true for characters that end a name.
fn is_terminator(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}
