// 08's picture to play with: two threads walk through the loop over tiles, with or without its barriers. Without scripts the page
// has a figure there. TILE_LOOP is made by `workshop regenerate messages`: the lines, and what the simulator found.
'use strict';

(() => {
    const ROUNDS = 2;
    const PAUSE = 900; // milliseconds between the steps of a replay

    const element = (name, attributes = {}, ...children) => {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        made.append(...children);
        return made;
    };

    const same = (a, b) => a.length === b.length && a.every((line, place) => line === b[place]);
    const thread = ({ thread: [x, y] }) => `thread (${x}, ${y})`;

    // What a thread passes in order: [line, round]. The first line is the loop's own, the last one its end.
    const path = () => {
        const inside = TILE_LOOP.lines.slice(1, -1).map(({ number }) => number);
        return Array.from({ length: ROUNDS }, (_, round) => inside.map((line) => [line, round])).flat();
    };

    // The replay: where both threads are at each step, and what meets. The quick thread runs until a barrier stops it.
    const replay = (without) => {
        const { race } = TILE_LOOP.variants.find((variant) => same(variant.without, without));
        const [first] = TILE_LOOP.barriers;
        // Without the first barrier a read comes before the write of its round, without the second a write before the read
        // of the round before. With both barriers the threads are shown as they would be without the second.
        const isEarlyRead = without.includes(first);
        const shown = race ?? TILE_LOOP.variants.find((variant) => variant.race && !variant.without.includes(first)).race;
        const [quick, slow] = isEarlyRead ? [shown.read, shown.write] : [shown.write, shown.read];
        const [early, late] = [[quick.line, isEarlyRead ? 0 : 1], [slow.line, 0]];
        const steps = path();
        const isAt = (place, [line, round]) => steps[place] && steps[place][0] === line && steps[place][1] === round;
        const isBarrier = (place) => TILE_LOOP.barriers.includes(steps[place]?.[0]) && !without.includes(steps[place][0]);
        const states = [{ quick: 0, slow: 0, says: 'Both threads begin the first round.' }];
        let [q, s] = [0, 0];
        while (q < steps.length || s < steps.length) {
            // At a barrier the quick one waits for the slow one.
            const waits = q >= steps.length || (isBarrier(q) && s < q);
            if (race && isAt(q, early)) {
                states.push({ quick: q, slow: s, meets: true, quickLine: quick.line, slowLine: slow.line,
                    says: `${cap(thread(quick))} ${isEarlyRead ? 'reads' : 'writes'} element ${shown.element} of ${shown.array} in round ${early[1] + 1}, while ${thread(slow)} has still to `
                        + `${isEarlyRead ? 'write' : 'read'} it in round ${late[1] + 1}. The grader says: ${race.message}` });
                break;
            }
            if (!waits) {
                q += 1;
            } else {
                s += 1;
                if (isBarrier(q) && s === q) {
                    states.push({ quick: q, slow: s, says: `Both threads are at the barrier of line ${steps[q][0]}, and go on together.` });
                    q += 1;
                    s += 1;
                }
            }
            const stopped = isBarrier(q) && s < q;
            const at = (place) => (place < steps.length ? `line ${steps[place][0]} in round ${steps[place][1] + 1}` : 'behind the loop');
            states.push({ quick: q, slow: s,
                says: stopped ? `${cap(thread(quick))} waits at the barrier of line ${steps[q][0]}. ${cap(thread(slow))} is at ${at(s)}.`
                    : `${cap(thread(quick))} is at ${at(q)}, ${thread(slow)} at ${at(s)}.` });
        }
        if (!race) states.at(-1).says = 'Both threads are through. No write met a read: the grader finds no race in this kernel.';
        return { states, steps, names: [thread(quick), thread(slow)] };
    };
    const cap = (text) => text[0].toUpperCase() + text.slice(1);

    const build = (place) => {
        const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)');
        const barriers = TILE_LOOP.barriers.map((line) => {
            const box = element('input', { type: 'checkbox', value: line });
            box.checked = line === TILE_LOOP.barriers[0];
            return box;
        });
        const back = element('button', { type: 'button' }, 'Back');
        const step = element('button', { type: 'button' }, 'Step');
        const play = element('button', { type: 'button' }, 'Replay');
        const heads = [element('th', { scope: 'col' }), element('th', { scope: 'col' })];
        const indent = (code) => code.length - code.trimStart().length;
        const outer = indent(TILE_LOOP.lines[0].code);
        const rows = new Map(TILE_LOOP.lines.map(({ number, code }) => {
            const marks = [element('td'), element('td')];
            const line = element('code', { style: `margin-inline-start: ${indent(code) - outer}ch` }, code.trim());
            const row = element('tr', {}, ...marks, element('td', { class: 'tile-loop-number' }, String(number)), element('td', {}, line));
            return [number, { row, marks }];
        }));
        const says = element('p', { role: 'status' });
        let [replayed, at, timer] = [null, 0, 0];

        const show = () => {
            const state = replayed.states[at];
            heads.forEach((head, which) => { head.textContent = replayed.names[which]; });
            for (const [number, { row, marks }] of rows) {
                const isOff = barriers.some((box) => !box.checked && Number(box.value) === number);
                row.className = isOff ? 'tile-loop-off' : '';
                [state.quick, state.slow].forEach((where, which) => {
                    const [line, round] = replayed.steps[where] ?? [TILE_LOOP.lines.at(-1).number, ROUNDS - 1];
                    const isHere = line === number;
                    marks[which].textContent = isHere ? `▶ ${round + 1}` : '';
                });
                const meets = state.meets && (number === state.quickLine || number === state.slowLine);
                if (meets) row.classList.add('tile-loop-meets');
            }
            says.textContent = state.says;
            back.disabled = at === 0;
            step.disabled = at === replayed.states.length - 1;
        };
        const stop = () => { clearInterval(timer); timer = 0; play.textContent = 'Replay'; };
        const go = (by) => {
            stop();
            at = Math.min(Math.max(at + by, 0), replayed.states.length - 1);
            show();
        };
        const again = () => {
            stop();
            replayed = replay(barriers.filter((box) => !box.checked).map((box) => Number(box.value)));
            at = 0;
            show();
        };
        back.addEventListener('click', () => go(-1));
        step.addEventListener('click', () => go(1));
        play.addEventListener('click', () => {
            if (timer) return stop();
            // Who wants no motion gets the end at once.
            if (isCalm.matches) return go(replayed.states.length);
            if (at === replayed.states.length - 1) at = 0;
            show();
            play.textContent = 'Stop';
            timer = setInterval(() => {
                at += 1;
                show();
                if (at === replayed.states.length - 1) stop();
            }, PAUSE);
        });
        for (const box of barriers) box.addEventListener('input', again);
        place.addEventListener('keydown', (event) => {
            const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (!by) return;
            event.preventDefault();
            event.stopPropagation(); // The book's own arrows turn pages.
            go(by);
        });
        place.replaceChildren(
            element('p', { class: 'lab-controls' },
                ...barriers.map((box) => element('label', {}, box, ` the barrier of line ${box.value}`)), back, step, play),
            element('div', { class: 'tile-loop-scroll', tabindex: 0, role: 'region', 'aria-label': 'The loop, and where both threads are' },
                element('table', { class: 'tile-loop-code' },
                    element('thead', {}, element('tr', {}, ...heads, element('th', { scope: 'col' }, 'line'), element('th', { scope: 'col' }, 'the loop'))),
                    element('tbody', {}, ...[...rows.values()].map(({ row }) => row)))),
            says,
            element('p', { class: 'lab-note' }, 'A number beside ▶ is the round in which the thread is. With the picture in focus, the arrow keys step, too.'));
        again();
    };

    document.querySelectorAll('.tile-loop-lab').forEach(build);
})();
