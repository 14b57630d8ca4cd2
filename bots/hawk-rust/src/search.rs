//! The search: the choice by rules of thumb, unless rollouts show that another action is better.
//!
//! All actions are tried in the same worlds, drawn from all that are consistent with what the seat knows; in
//! each the deal is played on by rules of thumb. The worse half of the actions is dropped as the time goes,
//! the choice by rules of thumb never; another is played only where it is better by so many standard errors.

use std::cmp::Ordering;
use std::time::Instant;

use arena_engine::chance::{Chance, Random};
use arena_engine::games::{MOST_SEATS, Silent};
use arena_engine::list::List;
use arena_engine::policy::{Ends, Policy};
use arena_engine::sampling::Mind;

/// How a game is searched; `parameters.rs` has the values.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// The most actions that are tried.
    pub candidates: usize,
    /// After how many actions a rollout is cut and the position estimated; 0 for never.
    pub cut: usize,
    /// What a point of lead counts in the value of a deal, where winning counts 1.
    pub by_point: f64,
    /// By how many standard errors an action must beat the choice by rules of thumb.
    pub errors: f64,
    /// The most rollouts for a decision.
    pub rollouts: usize,
}

/// A game that hawk plays.
pub trait Game: Policy + Send {
    type Mind: Mind<Self> + Clone + Send;
    const NAME: &str;
    /// How it is searched at a table of so many seats.
    fn parameters(seats: usize) -> Parameters;
    /// The rules of thumb by which hawk plays where it does not search, and in rollouts.
    fn own(&self) -> &'static Self::Constants;
    /// The share of the other seats that a seat is likely to beat.
    fn estimate(&self, seat: usize) -> f64;
    /// The points by which a seat leads the mean of the others.
    fn lead(&self, seat: usize) -> f64;
    /// The share of the other seats that a seat beat, once the deal is over.
    fn beaten(&self, seat: usize) -> f64 {
        share_beaten(&self.outcome().expect("a deal that is over").places, seat)
    }
    /// How many more decisions the seat will have to think about, roughly.
    fn decisions_left(&self, seat: usize) -> f64;
}

/// How long to search: to a moment, and for no more than so many rollouts.
#[derive(Clone, Copy)]
pub struct Effort {
    pub deadline: Option<Instant>,
    pub rollouts: usize,
}

impl Effort {
    /// The seconds that are left; infinite without a deadline.
    pub fn seconds(&self) -> f64 {
        self.deadline.map_or(f64::INFINITY, |it| it.saturating_duration_since(Instant::now()).as_secs_f64())
    }
}

/// The share of the other seats that a seat beat in a deal that is over, ties half.
pub fn share_beaten(places: &[u32], seat: usize) -> f64 {
    share_of_all(places.iter().map(|place| place.cmp(&places[seat])))
}

/// The same by how the deal ended for each.
pub fn beaten_by(ends: &Ends, seat: usize) -> f64 {
    share_of_all(ends.iter().map(|end| ends[seat].cmp(end)))
}

/// What a seat gets of the places of all others, by how it compares with each seat, itself too.
fn share_of_all(compared: impl ExactSizeIterator<Item = Ordering>) -> f64 {
    let others = compared.len() - 1;
    (compared.map(share_of).sum::<f64>() - 0.5) / others as f64
}

/// What a seat gets of another's place, by how it compares with the other.
pub fn share_of(compared: Ordering) -> f64 {
    match compared {
        Ordering::Less => 0.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 1.0,
    }
}

/// An action that is tried, and how it did against the first in the same worlds.
struct Arm {
    place: usize,
    sum: f64,
    squares: f64,
}

impl Arm {
    fn mean(&self, worlds: usize) -> f64 {
        self.sum / worlds.max(1) as f64
    }

    /// The standard error of the mean.
    fn error(&self, worlds: usize) -> f64 {
        let count = worlds as f64;
        if worlds < 2 {
            return f64::INFINITY;
        }
        let mean = self.sum / count;
        ((self.squares / count - mean * mean).max(0.0) / (count - 1.0)).sqrt()
    }
}

/// Worlds between two looks at whether an action is out of the race; fewer tell too little, for what decides a
/// game may be rare.
const LOOK_EVERY: usize = 256;
/// An action that is worse by so many standard errors is not tried any more.
const HOPELESS: f64 = 3.5;
/// The last one left that is better by so many is played at once.
const SETTLED: f64 = 5.0;

/// What a search found.
#[derive(Clone, Copy)]
pub struct Found {
    /// The place of the action to play.
    pub place: usize,
    /// The rollouts that it took.
    pub rollouts: usize,
}

/// Finds the best of some actions, of which the first is the choice by rules of thumb.
///
/// Args: `sample` draws a world; it gives none where that is impossible, and then the first is best.
pub fn search<S: Game>(
    actions: &[S::Action],
    seat: usize,
    parameters: &Parameters,
    effort: Effort,
    random: &mut Random,
    mut sample: impl FnMut(&mut Random) -> Option<S>,
) -> Found {
    let mut arms: Vec<Arm> = (1..actions.len()).map(|place| Arm { place, sum: 0.0, squares: 0.0 }).collect();
    let stages = actions.len().next_power_of_two().trailing_zeros().max(1) as usize;
    let started = Instant::now();
    let (mut worlds, mut rollouts, mut stage) = (0, 0, 0);
    let mut dropped = arms.len();
    while !arms.is_empty() {
        let Some(world) = sample(random) else { return Found { place: 0, rollouts } };
        let value = valuer(world, seat, parameters, random);
        let base = value(&actions[0]);
        for arm in &mut arms {
            let better = value(&actions[arm.place]) - base;
            arm.sum += better;
            arm.squares += better * better;
        }
        worlds += 1;
        rollouts += 1 + arms.len();
        if worlds % LOOK_EVERY == 0 {
            arms.retain(|arm| arm.mean(worlds) > -HOPELESS * arm.error(worlds));
            if let [only] = arms.as_slice()
                && only.mean(worlds) > SETTLED * only.error(worlds)
            {
                break;
            }
        }
        let by_time = effort.deadline.map_or(0.0, |deadline| {
            let all = deadline.saturating_duration_since(started).as_secs_f64();
            if all > 0.0 { started.elapsed().as_secs_f64() / all } else { 1.0 }
        });
        let used = by_time.max(rollouts as f64 / effort.rollouts.max(1) as f64);
        if used >= 1.0 {
            break;
        }
        while used >= (stage + 1) as f64 / stages as f64 {
            stage += 1;
            dropped /= 2;
            arms.sort_by(|one, other| other.sum.total_cmp(&one.sum));
            arms.truncate(dropped.max(1));
        }
    }
    let best = arms.into_iter().max_by(|one, other| one.sum.total_cmp(&other.sum));
    let better = best.filter(|arm| arm.mean(worlds) > parameters.errors * arm.error(worlds));
    Found { place: better.map_or(0, |arm| arm.place), rollouts }
}

/// What actions of a seat are worth in a world: after each of them later chance begins in the same way, and the
/// same rules of thumb play on.
pub fn valuer<S: Game>(
    world: S,
    seat: usize,
    parameters: &Parameters,
    random: &mut Random,
) -> impl Fn(&S::Action) -> f64 {
    let seed = random.next();
    let styles = world.styles();
    let mut by: [&S::Constants; MOST_SEATS] = std::array::from_fn(|_| &styles[random.below(styles.len())]);
    by[seat] = world.own();
    move |action| {
        let mut world = world.clone();
        let mut chance = Random::new(seed);
        world.apply(seat, action, &mut chance, &mut Silent);
        rollout(world, seat, parameters, &by, &mut chance)
    }
}

/// Plays a deal on by rules of thumb, each seat by its own, and says what its end is worth to one.
fn rollout<S: Game>(
    mut world: S,
    seat: usize,
    parameters: &Parameters,
    by: &[&S::Constants; MOST_SEATS],
    chance: &mut Random,
) -> f64 {
    if parameters.cut == 0
        && let Some(ends) = world.finish(by)
    {
        let points: List<i32, MOST_SEATS> = ends.iter().map(|end| end.0).collect();
        return beaten_by(&ends, seat) + parameters.by_point * lead(&points, seat);
    }
    let mut played = 0;
    while let Some(acting) = world.to_act() {
        if parameters.cut > 0 && played >= parameters.cut {
            return world.estimate(seat) + parameters.by_point * world.lead(seat);
        }
        let action = world.quick(acting, by[acting]);
        world.apply(acting, &action, chance, &mut Silent);
        played += 1;
    }
    world.beaten(seat) + parameters.by_point * world.lead(seat)
}

/// By how many points a seat leads the mean of the others.
pub fn lead(points: &[i32], seat: usize) -> f64 {
    let others = points.iter().sum::<i32>() - points[seat];
    f64::from(points[seat]) - f64::from(others) / (points.len() - 1) as f64
}
