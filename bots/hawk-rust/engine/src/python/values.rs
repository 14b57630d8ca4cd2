//! Decodes encoded messages into the named tuples of `arena.games`, by a schema that Python hands over.

use std::collections::HashMap;
use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple, PyType};

/// Most values that are kept to be used again.
const KEPT: usize = 1 << 16;
/// The highest number of an enum, and how deep a schema is nested at most.
const HIGHEST: usize = 1000;
const DEEPEST: usize = 50;

enum Kind {
    Number,
    /// sint32
    Signed,
    Truth,
    Text,
    /// A value by the number of an enum.
    Known(Vec<Option<Py<PyAny>>>),
    Value(Class),
}

struct Field {
    number: u64,
    kind: Kind,
    repeated: bool,
    optional: bool,
}

/// A named tuple that mirrors a message.
struct Class {
    class: Py<PyType>,
    fields: Vec<Field>,
    /// What the tuple has after these fields.
    tail: Vec<Py<PyAny>>,
}

/// The class of a message's values; of one with a oneof `kind`, the class of each branch by its number.
enum Shape {
    One(Class),
    Kinds(HashMap<u64, Class>),
}

/// Decodes the messages of one type. Values that were decoded before are the same objects, if they are kept.
///
/// Args:
///     schema: as `arena.link.wire.codec` describes it.
///     keep: whether values are kept to be used again.
#[pyclass(frozen, module = "arena_engine")]
pub struct Values {
    shape: Shape,
    kept: Option<Mutex<HashMap<Vec<u8>, Py<PyAny>>>>,
    make: Py<PyAny>,
}

#[pymethods]
impl Values {
    #[new]
    fn new(schema: &Bound<'_, PyAny>, keep: bool) -> PyResult<Self> {
        let shape = match schema.cast::<PyDict>() {
            Ok(kinds) => {
                let branch = |(number, class): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                    Ok::<_, PyErr>((number.extract()?, Class::new(&class, DEEPEST)?))
                };
                Shape::Kinds(kinds.iter().map(branch).collect::<PyResult<_>>()?)
            }
            Err(_) => Shape::One(Class::new(schema, DEEPEST)?),
        };
        let make = schema.py().get_type::<PyTuple>().getattr("__new__")?.unbind();
        Ok(Self { shape, kept: keep.then(Mutex::default), make })
    }

    /// The value of an encoded message. Raises ValueError if it has no meaning.
    #[pyo3(name = "decode")]
    fn decode_bytes(&self, py: Python<'_>, message: &[u8]) -> PyResult<Py<PyAny>> {
        self.decode(py, message)
    }
}

impl Values {
    pub fn decode(&self, py: Python<'_>, message: &[u8]) -> PyResult<Py<PyAny>> {
        let Some(kept) = &self.kept else { return self.decode_anew(py, message) };
        let kept = || kept.lock().expect("no code panics while it holds the lock");
        if let Some(value) = kept().get(message) {
            return Ok(value.clone_ref(py));
        }
        let value = self.decode_anew(py, message)?;
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(message.to_vec(), value.clone_ref(py));
        Ok(value)
    }

    fn decode_anew(&self, py: Python<'_>, message: &[u8]) -> PyResult<Py<PyAny>> {
        match &self.shape {
            Shape::One(class) => class.decode(py, message, &self.make),
            Shape::Kinds(kinds) => {
                let mut bytes = message;
                let (number, item) = next_field(&mut bytes)?.ok_or_else(|| bad("a message has no kind"))?;
                let class = kinds.get(&number).ok_or_else(|| bad("a message has an unknown kind"))?;
                class.decode(py, item.bytes()?, &self.make)
            }
        }
    }
}

fn bad(what: &'static str) -> PyErr {
    PyValueError::new_err(what)
}

enum Item<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Item<'a> {
    fn bytes(&self) -> PyResult<&'a [u8]> {
        match self {
            Item::Bytes(bytes) => Ok(bytes),
            Item::Number(_) => Err(bad("a field has another type than its schema says")),
        }
    }
}

fn varint(bytes: &mut &[u8]) -> PyResult<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or_else(|| bad("a message is cut short"))?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(bad("a number is too long"))
}

fn next_field<'a>(bytes: &mut &'a [u8]) -> PyResult<Option<(u64, Item<'a>)>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let tag = varint(bytes)?;
    let item = match tag & 7 {
        0 => Item::Number(varint(bytes)?),
        2 => {
            let length = varint(bytes)?;
            let length = usize::try_from(length).ok().filter(|length| *length <= bytes.len());
            let (item, rest) = bytes.split_at(length.ok_or_else(|| bad("a message is cut short"))?);
            *bytes = rest;
            Item::Bytes(item)
        }
        _ => return Err(bad("a field has another type than the protocol has")),
    };
    Ok(Some((tag >> 3, item)))
}

impl Class {
    /// Reads a schema that is nested no deeper than `deepest`.
    fn new(schema: &Bound<'_, PyAny>, deepest: usize) -> PyResult<Self> {
        type Parts<'py> = (Bound<'py, PyType>, Vec<(u64, Bound<'py, PyAny>, bool, bool)>, Vec<Py<PyAny>>);
        let (class, fields, tail): Parts = schema.extract()?;
        let field = |(number, kind, repeated, optional): (u64, Bound<'_, PyAny>, bool, bool)| {
            let kind = match kind.cast::<PyString>().ok().map(|text| text.to_string()).as_deref() {
                Some("number") => Kind::Number,
                Some("signed") => Kind::Signed,
                Some("truth") => Kind::Truth,
                Some("text") => Kind::Text,
                Some(_) => return Err(bad("a schema has an unknown kind of field")),
                None => match kind.cast::<PyDict>() {
                    Ok(known) => {
                        let mut values = Vec::new();
                        for (number, value) in known {
                            let number: usize = number.extract()?;
                            if number > HIGHEST {
                                return Err(bad("a schema has an enum with a number above 1000"));
                            }
                            values.resize_with(values.len().max(number + 1), || None);
                            values[number] = Some(value.unbind());
                        }
                        Kind::Known(values)
                    }
                    Err(_) => {
                        let inside = deepest.checked_sub(1).ok_or_else(|| bad("a schema is nested too deeply"))?;
                        Kind::Value(Class::new(&kind, inside)?)
                    }
                },
            };
            Ok(Field { number, kind, repeated, optional })
        };
        Ok(Self { class: class.unbind(), fields: fields.into_iter().map(field).collect::<PyResult<_>>()?, tail })
    }

    fn decode(&self, py: Python<'_>, mut bytes: &[u8], make: &Py<PyAny>) -> PyResult<Py<PyAny>> {
        const NONE: Vec<Py<PyAny>> = Vec::new();
        let mut items: Vec<Option<Py<PyAny>>> = Vec::with_capacity(self.fields.len() + self.tail.len());
        items.resize_with(self.fields.len(), || None);
        let mut lists = [NONE; 16];
        while let Some((number, item)) = next_field(&mut bytes)? {
            let Some(place) = self.fields.iter().position(|field| field.number == number) else { continue };
            let field = &self.fields[place];
            if !field.repeated {
                items[place] = Some(field.kind.decode(py, &item, make)?);
                continue;
            }
            let list = lists.get_mut(place).ok_or_else(|| bad("a message has too many fields"))?;
            match (&field.kind, item) {
                (Kind::Number | Kind::Signed | Kind::Truth | Kind::Known(_), Item::Bytes(mut packed)) => {
                    while !packed.is_empty() {
                        list.push(field.kind.decode(py, &Item::Number(varint(&mut packed)?), make)?);
                    }
                }
                (kind, item) => list.push(kind.decode(py, &item, make)?),
            }
        }
        for (place, field) in self.fields.iter().enumerate() {
            if field.repeated {
                let list = lists.get_mut(place).map(std::mem::take).unwrap_or_default();
                items[place] = Some(PyTuple::new(py, list)?.into_any().unbind());
            } else if items[place].is_none() {
                items[place] = Some(if field.optional {
                    py.None()
                } else {
                    let empty = match field.kind {
                        Kind::Text | Kind::Value(_) => Item::Bytes(&[]),
                        _ => Item::Number(0),
                    };
                    field.kind.decode(py, &empty, make)?
                });
            }
        }
        items.extend(self.tail.iter().map(|value| Some(value.clone_ref(py))));
        let items = PyTuple::new(py, items)?;
        make.call1(py, (self.class.bind(py), items))
    }
}

impl Kind {
    fn decode(&self, py: Python<'_>, item: &Item<'_>, make: &Py<PyAny>) -> PyResult<Py<PyAny>> {
        Ok(match (self, item) {
            (Kind::Number, Item::Number(number)) => number.into_pyobject(py)?.into_any().unbind(),
            (Kind::Signed, Item::Number(number)) => {
                ((number >> 1) as i64 ^ -((number & 1) as i64)).into_pyobject(py)?.into_any().unbind()
            }
            (Kind::Truth, Item::Number(number)) => PyBool::new(py, *number != 0).to_owned().into_any().unbind(),
            (Kind::Known(values), Item::Number(number)) => {
                let value = usize::try_from(*number).ok().and_then(|number| values.get(number)?.as_ref());
                value.ok_or_else(|| bad("a message has an unknown value of an enum"))?.clone_ref(py)
            }
            (Kind::Text, Item::Bytes(bytes)) => PyString::from_bytes(py, bytes)?.into_any().unbind(),
            (Kind::Value(class), item) => class.decode(py, item.bytes()?, make)?,
            _ => return Err(bad("a field has another type than its schema says")),
        })
    }
}
