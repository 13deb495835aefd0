//! Teams of one to eight threads, whatever the processor has.
#![allow(missing_docs)]

use carrysave_arith::team::{Meeting, Member, Serial, Team, comm::Channels, comm::Comm};
use std::thread;

/// A team of threads that are started for each run.
struct Scoped(usize);

impl Team for Scoped {
    fn size(&self) -> usize {
        self.0
    }

    fn run(&self, part: &(dyn Fn(&Member<'_>) + Sync)) {
        let meeting = Meeting::new(self.0);
        thread::scope(|scope| {
            for rank in 1..self.0 {
                let meeting = &meeting;
                scope.spawn(move || meeting.attend(rank, part));
            }
            meeting.attend(0, part);
        });
        meeting.end();
    }
}

#[test]
fn members_send_each_other_messages() {
    for size in 1..=8 {
        let channels = Channels::new(size);
        Scoped(size).run(&|member| {
            let link = channels.link(member);
            let rank = link.rank();
            assert_eq!(link.size(), size);
            // Longer than what fits in a channel, round the ring: the even ones send first.
            let mine: Vec<u64> = (0..1000).map(|i| (rank * 1000 + i) as u64).collect();
            let mut theirs = vec![0; 1000];
            let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
            if size > 1 {
                if rank == 0 {
                    link.recv(previous, &mut theirs);
                    link.send(next, &mine);
                } else {
                    link.send(next, &mine);
                    link.recv(previous, &mut theirs);
                }
                assert_eq!(theirs[999], (previous * 1000 + 999) as u64);
            }
            for root in 0..size {
                let mut words = [rank as u64, 7];
                link.broadcast(root, &mut words);
                assert_eq!(words, [root as u64, 7]);
            }
        });
    }
}

#[test]
#[should_panic(expected = "channels of this team")]
fn channels_are_those_of_the_team() {
    let channels = Channels::new(2);
    Serial.run(&|member| assert_eq!(channels.link(member).size(), 1));
}
