//! Ordered streams and messages, on one to eight threads whatever the processor has.
#![allow(missing_docs)]

use carrysave_team::messages::{Channels, Comm};
use carrysave_team::{Serial, Spawned, Team, in_order};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

/// A team of `threads` threads.
fn scoped(threads: usize) -> Spawned {
    Spawned::new(threads)
}

/// The output of a stream of `pieces` pieces. The first of `bad` cannot be taken, the second cannot be put down.
fn stream(team: &dyn Team, pieces: u64, bad: [u64; 2]) -> (Vec<u64>, Result<(), u64>) {
    let (mut next, mut out) = (0, vec![]);
    let take = |piece: &mut u64| {
        *piece = next;
        next += 1;
        match *piece == bad[0] {
            true => Err(next - 1),
            false => Ok(*piece < pieces),
        }
    };
    let work = |piece: &mut u64| {
        // Some take longer than those behind.
        thread::sleep(Duration::from_micros(*piece % 3 * 20));
        *piece *= *piece;
    };
    let put = |piece: &mut u64| {
        if *piece == bad[1] * bad[1] {
            return Err(bad[1]);
        }
        out.push(*piece);
        Ok(())
    };
    let result = in_order(team, || 0, take, work, put);
    (out, result)
}

#[test]
fn pieces_stay_in_their_order() {
    const NONE: u64 = 1 << 30;
    for threads in 1..=8 {
        let team = scoped(threads);
        for pieces in [0, 1, 2, 7, 100] {
            let squares = |n: u64| (0..n).map(|i| i * i).collect::<Vec<_>>();
            let all = (squares(pieces), Ok(()));
            assert_eq!(stream(&team, pieces, [NONE, NONE]), all);
            for bad in (0..pieces).step_by(3) {
                let some = (squares(bad), Err(bad));
                assert_eq!(stream(&team, pieces, [bad, NONE]), some);
                assert_eq!(stream(&team, pieces, [NONE, bad]), some);
                assert_eq!(stream(&team, pieces, [bad, bad]), some);
                assert_eq!(stream(&team, pieces, [pieces, bad]), some);
            }
        }
    }
}

#[test]
fn a_panic_over_a_piece_reaches_the_caller() {
    for threads in 1..=4 {
        for guilty in 0..3 {
            let blow = |part, piece: &u64| assert!((part, *piece) != (guilty, 5), "piece {piece}");
            let (mut next, mut out) = (0, vec![]);
            let take = |piece: &mut u64| {
                *piece = next;
                next += 1;
                blow(0, piece);
                Ok::<_, ()>(*piece < 50)
            };
            let put = |piece: &mut u64| {
                blow(2, piece);
                out.push(*piece);
                Ok(())
            };
            let run = || in_order(&scoped(threads), || 0, take, |piece| blow(1, piece), put);
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
            let some = out.len() as u64;
            assert!(some <= 5 && out.into_iter().eq(0..some));
            // What has panicked is not called again.
            assert!(
                guilty > 0 || next == 6,
                "{next} pieces on {threads} threads"
            );
        }
    }
}

#[test]
fn members_send_each_other_messages() {
    for size in 1..=8 {
        let channels = Channels::new(size);
        scoped(size).run(&|member| {
            let link = channels.link(member);
            let rank = link.rank();
            assert_eq!(link.size(), size);
            // Longer than a channel's buffer, round the ring: rank 0 receives first.
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
