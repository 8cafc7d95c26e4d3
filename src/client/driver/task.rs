//! The few futures that the driver needs: tasks that can be stopped, and answers that are waited for.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Whether a task is to stop, and how to wake it for that.
#[derive(Default)]
struct Stop {
    requested: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

/// Stops its task when it is dropped; what the task owns is let go then.
pub(super) struct Stopper(Rc<Stop>);

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.requested.set(true);
        if let Some(waker) = self.0.waker.take() {
            waker.wake();
        }
    }
}

/// A task that ends when its [`Stopper`] is dropped.
pub(super) struct Stoppable {
    stop: Rc<Stop>,
    task: BoxFuture<'static, ()>,
}

/// Makes a task stoppable.
pub(super) fn stoppable(task: BoxFuture<'static, ()>) -> (Stopper, Stoppable) {
    let stop = Rc::new(Stop::default());
    (Stopper(Rc::clone(&stop)), Stoppable { stop, task })
}

impl Future for Stoppable {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.stop.requested.get() || self.task.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        // The task may have been stopped by what it did itself.
        if self.stop.requested.get() {
            return Poll::Ready(());
        }
        self.stop.waker.replace(Some(context.waker().clone()));
        Poll::Pending
    }
}

/// A value that comes once and is waited for by any number of futures.
pub(super) struct Slot<T> {
    value: Option<T>,
    wakers: Vec<Waker>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { value: None, wakers: Vec::new() }
    }
}

impl<T: Clone> Slot<T> {
    /// The value is there: whoever waits is woken.
    pub(super) fn fill(&mut self, value: T) {
        self.value = Some(value);
        self.wakers.drain(..).for_each(Waker::wake);
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<T> {
        if let Some(value) = &self.value {
            return Poll::Ready(value.clone());
        }
        if !self.wakers.iter().any(|waker| waker.will_wake(context.waker())) {
            self.wakers.push(context.waker().clone());
        }
        Poll::Pending
    }
}
