//! What is kept from one request to the next: files, the registry and the exercises that are read from them, kernels that were compiled.

use crate::problem::Problem;
use crate::request::Request;
use cornerturn::exercise::Workshop;
use cornerturn::plot::WarpSteps;
use cornerturn::registry::{Code, Registry};
use cornerturn::{Kernel, given};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Default)]
struct State {
    registry: Option<Rc<Registry>>,
    workshop: Option<Rc<Workshop>>,
    /// Unedited kernels by their ids.
    kernels: BTreeMap<String, Kernel>,
    /// The warp that was followed last, by the name that the page gave it.
    steps: Option<(String, Rc<WarpSteps>)>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Takes files by their paths below the project's root.
pub(crate) fn give(request: &Request) -> Result<(), Problem> {
    for (path, text) in request.object("files")? {
        match text {
            Value::String(text) => given::give(&path, text),
            _ => return Err(Problem::request(format!("the file `{path}` is no text"))),
        }
    }
    STATE.take();
    Ok(())
}

/// The registry.
pub(crate) fn registry() -> Result<Rc<Registry>, Problem> {
    STATE.with_borrow_mut(|state| match &state.registry {
        Some(registry) => Ok(Rc::clone(registry)),
        None => {
            let registry = Rc::new(Registry::load()?);
            state.registry = Some(Rc::clone(&registry));
            Ok(registry)
        }
    })
}

/// The exercises.
pub(crate) fn workshop() -> Result<Rc<Workshop>, Problem> {
    STATE.with_borrow_mut(|state| match &state.workshop {
        Some(workshop) => Ok(Rc::clone(workshop)),
        None => {
            let workshop = Rc::new(Workshop::load()?);
            state.workshop = Some(Rc::clone(&workshop));
            Ok(workshop)
        }
    })
}

/// A registered kernel as it is, read once.
pub(crate) fn unedited(registry: &Registry, code: Code) -> Result<Kernel, Problem> {
    let known = STATE.with_borrow(|state| state.kernels.get(code.id).cloned());
    if let Some(kernel) = known {
        return Ok(kernel);
    }
    let kernel = Kernel::unedited(registry, code)?;
    STATE.with_borrow_mut(|state| {
        state.kernels.insert(code.id.to_string(), kernel.clone());
    });
    Ok(kernel)
}

/// Keeps the steps of a warp for the requests that ask for one of them.
pub(crate) fn keep_steps(id: &str, steps: &Rc<WarpSteps>) {
    let kept = (id.to_string(), Rc::clone(steps));
    STATE.with_borrow_mut(|state| state.steps = Some(kept));
}

/// The steps that were kept last, if that is their name; none in an engine that was started since.
pub(crate) fn kept_steps(id: &str) -> Option<Rc<WarpSteps>> {
    let of_name = |state: &State| state.steps.clone().filter(|(known, _)| known == id);
    STATE.with_borrow(of_name).map(|(_, steps)| steps)
}
