//! One thread's tasks and timers, on a clock that jumps to the next timer when nothing else can happen.

use mcp_duet::client::driver::{BoxFuture, Runtime};
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// Set when something is to be polled again.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A task, while it is not done, and whether it is to be polled.
type Task = (Arc<Flag>, Option<BoxFuture<'static, ()>>);

/// One thread's tasks and timers.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) now: Rc<Cell<u64>>,
    timers: Rc<RefCell<Vec<(u64, Waker)>>>,
    /// The longest time that was asked for at once.
    pub(crate) longest: Rc<Cell<u64>>,
    tasks: Rc<RefCell<Vec<Task>>>,
}

impl Runtime for World {
    fn now(&self) -> u64 {
        self.now.get()
    }

    fn sleep(&self, time: u64) -> BoxFuture<'static, ()> {
        self.longest.set(self.longest.get().max(time));
        let (world, until) = (self.clone(), self.now.get() + time);
        Box::pin(poll_fn(move |context| {
            if world.now.get() >= until {
                return Poll::Ready(());
            }
            world.timers.borrow_mut().push((until, context.waker().clone()));
            Poll::Pending
        }))
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.tasks.borrow_mut().push((Arc::new(Flag(AtomicBool::new(true))), Some(task)));
    }
}

impl World {
    /// Runs the future to its end, and every task as far as it goes; what is not woken is not polled.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        loop {
            if flag.0.swap(false, Ordering::SeqCst)
                && let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&Arc::clone(&flag).into()))
            {
                self.settle();
                return value;
            }
            if !self.settle() && !flag.0.load(Ordering::SeqCst) {
                assert!(self.jump(), "everything waits for ever");
            }
        }
    }

    /// Polls the tasks that are woken; says whether there was one.
    pub(crate) fn settle(&self) -> bool {
        let mut any = false;
        let mut at = 0;
        while at < self.tasks.borrow().len() {
            let woken = {
                let mut tasks = self.tasks.borrow_mut();
                let (flag, task) = &mut tasks[at];
                (flag.0.swap(false, Ordering::SeqCst)).then(|| (Arc::clone(flag), task.take()))
            };
            at += 1;
            if let Some((flag, Some(mut task))) = woken {
                any = true;
                if task.as_mut().poll(&mut Context::from_waker(&flag.into())).is_pending() {
                    self.tasks.borrow_mut()[at - 1].1 = Some(task);
                }
                at = 0;
            }
        }
        any
    }

    /// Jumps to the next timer; false if there is none.
    pub(crate) fn jump(&self) -> bool {
        let mut timers = self.timers.borrow_mut();
        timers.sort_by_key(|(until, _)| *until);
        if timers.is_empty() {
            return false;
        }
        let (until, waker) = timers.remove(0);
        self.now.set(until.max(self.now.get()));
        waker.wake();
        true
    }

    pub(crate) fn open_tasks(&self) -> usize {
        self.tasks.borrow().iter().filter(|(_, task)| task.is_some()).count()
    }
}
