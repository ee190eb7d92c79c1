//! Basic blocks, post-dominators and barrier sites.
//!
//! Every branch learns where its sides join: the head of the block's immediate post-dominator. In a kernel,
//! ways that only lead out of it are left aside where there are others, as the hardware does: after a loop
//! with an early `return` the lanes that finished it go on together. For every block-wide barrier, and every
//! call of a function that executes one, the first block is found that only threads can reach which are
//! beyond the barrier — or which skipped it: the nearest strict post-dominator from which the barrier can not
//! be reached again and which does more than leave. [`Op::PastBarrier`] is put there. Where there is none
//! because the kernel ends behind the loop that holds the barrier, the head of the loop is marked by
//! [`Op::BarrierLoop`]: a thread that was there and leaves has run past the barrier, unlike one that left
//! before. A branch that decides whether a barrier is reached now or in a later round of a loop is marked by
//! [`Op::BarrierChoice`]: threads that meet at the barrier must have come by it equally often.

use super::{copies::originals, function::Lowered};
use crate::ir::{BarrierSite, Callee, Guard, Instruction, NO_JOIN, Op, Pc};

/// Basic blocks of a function, in order of their code.
pub struct Blocks {
    /// First instruction of each block; one more entry at the end of the code.
    pub starts: Vec<Pc>,
    /// Successors of each block; [`Blocks::exit`] stands for leaving the function.
    pub successors: Vec<Vec<usize>>,
}

impl Blocks {
    /// Finds the blocks of code whose targets are program counters.
    pub fn new(code: &[Instruction], targets: &[Pc]) -> Blocks {
        let mut leader = vec![false; code.len() + 1];
        leader[0] = true;
        leader[code.len()] = true;
        for (pc, instruction) in code.iter().enumerate() {
            match instruction.op {
                Op::Branch { target, .. } => leader[target as usize] = true,
                Op::BranchIndexed { targets: list, .. } => {
                    targets[list.range()].iter().for_each(|&target| leader[target as usize] = true);
                }
                Op::Return | Op::Exit | Op::Trap => {}
                _ => continue,
            }
            leader[pc + 1] = true;
        }
        let starts: Vec<Pc> = (0..=code.len()).filter(|&pc| leader[pc]).map(|pc| pc as Pc).collect();
        let mut block_at = vec![0; code.len() + 1];
        for (block, &start) in starts.iter().enumerate() {
            block_at[start as usize] = block;
        }
        let exit = starts.len() - 1;
        let successors = (0..exit)
            .map(|block| {
                let last = &code[starts[block + 1] as usize - 1];
                let mut found = Vec::new();
                let ends = match last.op {
                    Op::Branch { target, .. } => {
                        found.push(block_at[target as usize]);
                        true
                    }
                    Op::BranchIndexed { targets: list, .. } => {
                        found.extend(targets[list.range()].iter().map(|&target| block_at[target as usize]));
                        true
                    }
                    Op::Return | Op::Exit => {
                        found.push(exit);
                        true
                    }
                    // A trap ends the launch: its lanes meet nobody again.
                    Op::Trap => true,
                    _ => false,
                };
                if !ends || last.guard != Guard::ALWAYS {
                    found.push(block + 1);
                }
                found.sort_unstable();
                found.dedup();
                found
            })
            .collect();
        Blocks { starts, successors }
    }

    /// The node that stands for leaving the function.
    pub fn exit(&self) -> usize {
        self.successors.len()
    }

    /// The instructions of a block.
    pub fn range(&self, block: usize) -> std::ops::Range<usize> {
        self.starts[block] as usize..self.starts[block + 1] as usize
    }

    /// Immediate post-dominator of each block, where the exit can be reached from it. (Cooper, Harvey,
    /// Kennedy: A Simple, Fast Dominance Algorithm, on the reversed graph.)
    pub fn post_dominators(&self) -> Vec<Option<usize>> {
        let exit = self.exit();
        let mut predecessors = vec![Vec::new(); exit + 1];
        for (block, successors) in self.successors.iter().enumerate() {
            for &successor in successors {
                predecessors[successor].push(block);
            }
        }
        // Post-order of the reversed graph from the exit.
        let mut number = vec![usize::MAX; exit + 1];
        let mut order = Vec::new();
        let mut seen = vec![false; exit + 1];
        let mut stack = vec![(exit, 0)];
        seen[exit] = true;
        while let Some((node, next)) = stack.pop() {
            if let Some(&predecessor) = predecessors[node].get(next) {
                stack.push((node, next + 1));
                if !seen[predecessor] {
                    seen[predecessor] = true;
                    stack.push((predecessor, 0));
                }
            } else {
                number[node] = order.len();
                order.push(node);
            }
        }
        let mut dominator = vec![None; exit + 1];
        dominator[exit] = Some(exit);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev().skip(1) {
                let mut found: Option<usize> = None;
                for &successor in &self.successors[node] {
                    if dominator[successor].is_none() {
                        continue;
                    }
                    found = Some(match found {
                        None => successor,
                        Some(mut a) => {
                            let mut b = successor;
                            while a != b {
                                // Nodes with a dominator have one all the way to the exit,
                                // which has the highest number.
                                while number[a] < number[b] {
                                    a = dominator[a].unwrap_or(exit);
                                }
                                while number[b] < number[a] {
                                    b = dominator[b].unwrap_or(exit);
                                }
                            }
                            a
                        }
                    });
                }
                if found.is_some() && dominator[node] != found {
                    dominator[node] = found;
                    changed = true;
                }
            }
        }
        dominator.truncate(exit);
        dominator
    }

    /// The same without the edges to blocks that only leave, where there is another way to go: who leaves
    /// early meets nobody any more, so where its way joins the others' doesn't matter to them.
    fn without_leaving(&self, leaves: impl Fn(usize) -> bool) -> Blocks {
        let exit = self.exit();
        let goes_on = |block: usize| block != exit && !leaves(block);
        let successors = self
            .successors
            .iter()
            .map(|all| match all.iter().copied().filter(|&block| goes_on(block)).collect::<Vec<_>>() {
                others if others.is_empty() => all.clone(),
                others => others,
            })
            .collect();
        Blocks { starts: self.starts.clone(), successors }
    }

    /// Where the loop around a block is entered: its blocks that are also reached from outside.
    /// None when there is no loop.
    fn loop_heads(&self, block: usize) -> Vec<usize> {
        let within: Vec<usize> = (0..self.exit())
            .filter(|&other| {
                self.reaches(block, other)
                    && self.successors[other].iter().any(|&next| self.reaches(next, block))
            })
            .collect();
        let outside = |block: &usize| !within.contains(block);
        let entered = |head: usize| {
            head == 0 || (0..self.exit()).filter(outside).any(|from| self.successors[from].contains(&head))
        };
        within.iter().copied().filter(|&head| entered(head)).collect()
    }

    /// Blocks that end in a choice between going to a block now and going there in another round of a
    /// loop: those on which it is control dependent, directly or by way of others, and from whose other
    /// side it can still be reached.
    fn choices(&self, block: usize, dominators: &[Option<usize>]) -> Vec<usize> {
        /// Kept of one block; code that chooses more often is written by no human.
        const MOST: usize = 64;
        let mut reaching = vec![false; self.exit() + 1];
        let mut predecessors = vec![Vec::new(); self.exit() + 1];
        for (from, successors) in self.successors.iter().enumerate() {
            successors.iter().for_each(|&to| predecessors[to].push(from));
        }
        let mut stack = vec![block];
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut reaching[node], true) {
                stack.extend(&predecessors[node]);
            }
        }
        let mut found: Vec<usize> = Vec::new();
        let mut targets = vec![block];
        let mut at = 0;
        while let Some(&target) = targets.get(at)
            && targets.len() < MOST
        {
            at += 1;
            let certain = self.post_dominated_by(target, dominators);
            for choice in (0..self.exit()).filter(|&other| other == target || !certain[other]) {
                let successors = &self.successors[choice];
                if !successors.iter().any(|&next| certain[next]) {
                    continue;
                }
                if successors.iter().any(|&next| !certain[next] && reaching[next]) && !found.contains(&choice)
                {
                    found.push(choice);
                }
                if !targets.contains(&choice) {
                    targets.push(choice);
                }
            }
        }
        found
    }

    /// Which blocks come by `target` on every way out, itself among them.
    fn post_dominated_by(&self, target: usize, dominators: &[Option<usize>]) -> Vec<bool> {
        let mut known = vec![None; self.exit() + 1];
        known[self.exit()] = Some(false);
        known[target] = Some(true);
        for block in 0..self.exit() {
            let mut way = vec![block];
            let answer = loop {
                let last = way[way.len() - 1];
                if let Some(answer) = known[last] {
                    break answer;
                }
                match dominators[last] {
                    Some(next) => way.push(next),
                    None => break false,
                }
            };
            way.into_iter().for_each(|block| known[block] = Some(answer));
        }
        known.into_iter().map(|answer| answer == Some(true)).collect()
    }

    pub fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.exit() + 1];
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            if node == to {
                return true;
            }
            if node < self.exit() && !std::mem::replace(&mut seen[node], true) {
                stack.extend(&self.successors[node]);
            }
        }
        false
    }
}

impl Blocks {
    /// The block that holds an instruction.
    pub fn of(&self, pc: Pc) -> usize {
        self.starts.partition_point(|&start| start <= pc) - 1
    }

    /// The same without the edges that lead back in a loop.
    pub fn forward(&self) -> Blocks {
        let exit = self.exit();
        let mut successors = vec![Vec::new(); exit];
        let (mut seen, mut on_way) = (vec![false; exit + 1], vec![false; exit + 1]);
        let mut stack = vec![(0, 0)];
        while let Some((node, next)) = stack.pop() {
            if node == exit {
                continue;
            }
            (seen[node], on_way[node]) = (true, true);
            let Some(&successor) = self.successors[node].get(next) else {
                on_way[node] = false;
                continue;
            };
            stack.push((node, next + 1));
            if !on_way[successor] {
                successors[node].push(successor);
                if !seen[successor] {
                    stack.push((successor, 0));
                }
            }
        }
        Blocks { starts: self.starts.clone(), successors }
    }
}

/// Resolves labels, finds joins, and marks what lies past barriers.
pub fn arrange(lowered: &mut Lowered, has_barrier: &[bool]) {
    let function = &mut lowered.function;
    for instruction in &mut function.code {
        if let Op::Branch { target, .. } = &mut instruction.op {
            *target = lowered.labels[*target as usize];
        }
    }
    for target in &mut function.targets {
        *target = lowered.labels[*target as usize];
    }
    for (pc, instruction) in function.code.iter().enumerate() {
        if let Op::Call { callee: Callee::Function(callee), .. } = instruction.op
            && has_barrier[callee.0 as usize]
            && function.barriers.len() < usize::from(u16::MAX)
        {
            function.barriers.push(BarrierSite { pc: pc as Pc, past: None, original: 0 });
        }
    }
    let blocks = Blocks::new(&function.code, &function.targets);
    let dominators = blocks.post_dominators();
    let exit = blocks.exit();

    // Where lanes that stay meet.
    let only_leaves = |block: usize| {
        function.is_entry
            && function.code[blocks.range(block)].iter().all(|instruction| {
                matches!(instruction.op, Op::Return | Op::Exit) && instruction.guard == Guard::ALWAYS
            })
    };
    let staying = blocks.without_leaving(only_leaves).post_dominators();

    // The block behind each barrier.
    let originals = originals(&function.code, &function.barriers, &lowered.placeless, &blocks);
    for (barrier, &original) in function.barriers.iter_mut().zip(&originals) {
        barrier.original = original as u16;
        if let Op::Barrier { site, .. } = &mut function.code[barrier.pc as usize].op {
            *site = original as u16;
        }
    }
    let does_something = |block: usize| {
        function.code[blocks.range(block)].iter().any(|instruction| match instruction.op {
            Op::Alu(_) | Op::Divide(_) | Op::Special { .. } | Op::Exit => false,
            Op::Branch { .. } => instruction.guard != Guard::ALWAYS,
            // Back in the caller a thread does go on.
            Op::Return => !function.is_entry,
            _ => true,
        })
    };
    let mut marks: Vec<Vec<Op>> = vec![Vec::new(); exit];
    for (site, barrier) in function.barriers.iter().enumerate().filter(|&(at, _)| originals[at] == at) {
        let homes: Vec<usize> = (function.barriers.iter().zip(&originals))
            .filter(|&(_, &original)| original == site)
            .map(|(copy, _)| blocks.of(copy.pc))
            .collect();
        let (home, has_copies) = (homes[0], homes.len() > 1);
        let site = site as u16;
        let is_behind_all = |block: usize| {
            !has_copies || {
                let certain = blocks.post_dominated_by(block, &dominators);
                homes.iter().all(|&home| certain[home])
            }
        };
        let mut at = dominators[home];
        while let Some(block) = at.filter(|&block| block != exit) {
            if does_something(block)
                && !homes.iter().any(|&home| blocks.reaches(block, home))
                && is_behind_all(block)
            {
                marks[block].push(Op::PastBarrier { site });
                break;
            }
            at = dominators[block];
        }
        if at.is_none_or(|block| block == exit) {
            let mut heads: Vec<usize> = homes.iter().flat_map(|&home| blocks.loop_heads(home)).collect();
            heads.sort_unstable();
            heads.dedup();
            for head in heads {
                marks[head].push(Op::BarrierLoop { site });
            }
        }
        // Between copies ways differ in how often they choose: one may know what the other asks.
        if has_copies {
            continue;
        }
        let mut choices = blocks.choices(home, &dominators);
        let guarded = function.code[barrier.pc as usize].guard != Guard::ALWAYS;
        if guarded
            && !choices.contains(&home)
            && blocks.successors[home].iter().any(|&next| blocks.reaches(next, home))
        {
            choices.push(home);
        }
        for choice in choices {
            marks[choice].push(Op::BarrierChoice { site });
        }
    }

    // The code again, with the marks at the heads of blocks.
    let mut code = Vec::with_capacity(function.code.len() + function.barriers.len());
    let mut moved = vec![0; function.code.len() + 1];
    let mut heads = vec![0; exit + 1];
    for block in 0..exit {
        heads[block] = code.len() as Pc;
        let range = blocks.range(block);
        for &op in &marks[block] {
            if let Op::PastBarrier { site } = op {
                function.barriers[usize::from(site)].past = Some(code.len() as Pc);
            }
            let source = function.code[range.start].source;
            code.push(Instruction::new(op, Guard::ALWAYS, source));
        }
        for pc in range {
            moved[pc] = code.len() as Pc;
            code.push(function.code[pc]);
        }
    }
    let head_of = |pc: Pc| heads[blocks.starts.partition_point(|&start| start <= pc) - 1];
    let mut joins = Vec::new();
    for block in 0..exit {
        let last = moved[blocks.range(block).end - 1] as usize;
        let meeting = |of: &[Option<usize>]| of[block].filter(|&dominator| dominator != exit);
        let dominator = meeting(&staying).or(meeting(&dominators));
        let found = dominator.map_or(NO_JOIN, |dominator| heads[dominator]);
        match &mut code[last].op {
            Op::Branch { target, join } => {
                *target = head_of(*target);
                *join = found;
            }
            Op::BranchIndexed { join, .. } => *join = found,
            _ => continue,
        }
        joins.extend(dominator.map(|dominator| heads[dominator]));
    }
    for target in &mut function.targets {
        *target = head_of(*target);
    }
    for barrier in &mut function.barriers {
        barrier.pc = moved[barrier.pc as usize];
    }
    for join in joins {
        code[join as usize].is_join = true;
    }
    function.code = code;
}
