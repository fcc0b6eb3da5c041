//! A request that was looked at, with the plan that followed: what a person is told before
//! anything is asked or started, and what a start is made from.

use crate::plan::Plan;
use crate::refusal::Refusal;
use crate::request::Request;
use crate::step::Why;
use crate::survey::{Survey, survey};

/// A plan and what it was made from. Goes stale: the tree may change. What must not be
/// exchanged meanwhile is proved again inside, before the command starts.
#[derive(Debug)]
pub struct Planned {
    /// What was there.
    pub survey: Survey,
    /// What follows.
    pub plan: Plan,
}

impl Planned {
    /// Looks at every path of `request` and lays the mounts.
    pub fn new(request: &Request) -> Result<Self, Refusal> {
        let survey = survey(request)?;
        let plan = Plan::new(&survey.facts, request.network, request.limits)?;
        Ok(Self { survey, plan })
    }

    /// Equal for equal plans. The run's own temporary folder, named after the run, is no
    /// part of it.
    #[must_use]
    pub fn hash(&self) -> String {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        for step in self.plan.steps() {
            if step.why != Why::Scratch {
                step.hash(&mut hasher);
            }
        }
        format!("{:016x}", hasher.finish())
    }
}
