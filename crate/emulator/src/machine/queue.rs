//! One warp's asynchronous work in the order of its instructions, and the groups into which threads commit it.

use std::collections::VecDeque;

/// Work kept at most; beyond, the oldest is done, as on a GPU it would long have been.
const MOST_EVENTS: usize = 4096;

#[derive(Debug)]
enum Event<W> {
    /// What these lanes have started.
    Work { lanes: u32, work: W },
    /// These lanes close a group.
    Commit { lanes: u32 },
}

/// What the lanes of a warp have started and not yet waited for.
#[derive(Debug)]
pub(crate) struct Queue<W> {
    events: VecDeque<Event<W>>,
    /// Events that have gone from the front.
    gone: u64,
}

impl<W> Default for Queue<W> {
    fn default() -> Self {
        Self {
            events: VecDeque::new(),
            gone: 0,
        }
    }
}

impl<W> Queue<W> {
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.gone = 0;
    }

    /// Adds work; what has to be done first, because the queue is full, is returned.
    #[must_use]
    pub(crate) fn start(&mut self, lanes: u32, work: W) -> Option<(u32, W)> {
        self.events.push_back(Event::Work { lanes, work });
        self.overflow()
    }

    #[must_use]
    pub(crate) fn commit(&mut self, lanes: u32) -> Option<(u32, W)> {
        self.events.push_back(Event::Commit { lanes });
        self.overflow()
    }

    fn overflow(&mut self) -> Option<(u32, W)> {
        if self.events.len() <= MOST_EVENTS {
            return None;
        }
        self.gone += 1;
        match self.events.pop_front()? {
            Event::Work { lanes, work } => Some((lanes, work)),
            Event::Commit { .. } => None,
        }
    }

    /// The position behind everything started so far.
    pub(crate) fn end(&self) -> u64 {
        self.gone + self.events.len() as u64
    }

    /// The position up to which a lane's work must be done for at most so many of its groups to be left.
    pub(crate) fn due(&self, lane: usize, groups: u32) -> u64 {
        let mut left = groups;
        for (at, event) in self.events.iter().enumerate().rev() {
            match event {
                Event::Commit { lanes } if lanes & (1 << lane) != 0 => {
                    if left == 0 {
                        return self.gone + at as u64 + 1;
                    }
                    left -= 1;
                }
                _ => {}
            }
        }
        0
    }

    /// Hands out the lanes' work up to a position, in order.
    pub(crate) fn take(&mut self, lanes: u32, before: u64, mut each: impl FnMut(u32, &W)) {
        let count = before
            .saturating_sub(self.gone)
            .min(self.events.len() as u64);
        for event in self.events.iter_mut().take(count as usize) {
            match event {
                Event::Work { lanes: left, work } => {
                    let now = *left & lanes;
                    if now != 0 {
                        each(now, work);
                    }
                    *left &= !lanes;
                }
                Event::Commit { lanes: left } => *left &= !lanes,
            }
        }
        while let Some(Event::Work { lanes: 0, .. } | Event::Commit { lanes: 0 }) =
            self.events.front()
        {
            self.events.pop_front();
            self.gone += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(queue: &mut Queue<char>, lanes: u32, before: u64) -> Vec<(u32, char)> {
        let mut found = Vec::new();
        queue.take(lanes, before, |lanes, work| found.push((lanes, *work)));
        found
    }

    #[test]
    fn groups_are_counted_for_each_lane() {
        let mut queue = Queue::default();
        assert_eq!(queue.start(0b11, 'a'), None);
        assert_eq!(queue.commit(0b11), None);
        assert_eq!(queue.start(0b10, 'b'), None);
        assert_eq!(queue.commit(0b10), None);
        assert_eq!(queue.start(0b11, 'c'), None);
        // Lane 0 has one group, lane 1 two; `c` is in none.
        assert_eq!((queue.due(0, 0), queue.due(0, 1)), (2, 0));
        assert_eq!(
            (queue.due(1, 0), queue.due(1, 1), queue.due(1, 2)),
            (4, 2, 0)
        );
        assert_eq!(taken(&mut queue, 0b01, 2), [(0b01, 'a')]);
        assert_eq!(taken(&mut queue, 0b10, 4), [(0b10, 'a'), (0b10, 'b')]);
        let end = queue.end();
        assert_eq!(end, 5);
        assert_eq!(taken(&mut queue, 0b11, end), [(0b11, 'c')]);
        assert_eq!(queue.end(), 5);
    }

    #[test]
    fn a_full_queue_does_the_oldest_first() {
        let mut queue = Queue::default();
        for number in 0..MOST_EVENTS {
            assert_eq!(queue.start(1, number), None);
        }
        assert_eq!(queue.start(1, 9999), Some((1, 0)));
        assert_eq!(queue.start(1, 9999), Some((1, 1)));
    }
}
