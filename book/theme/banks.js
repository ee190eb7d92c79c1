// 05's picture to play with: which lane of a warp wants which bank, for a stride or for a column of a padded tile.
// Without scripts the page has a figure there. WAVEFRONTS is made by `workshop book`.
'use strict';

(() => {
    const LANES = 32;
    const BANKS = 32;
    const CELL = 20;
    const ROW = 16;

    const element = (name, attributes = {}, ...children) => {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        made.append(...children);
        return made;
    };

    // The lanes that want each bank, with the word that they want of it.
    const wanted = (stride, bytes) => {
        const words = bytes / 4;
        const banks = Array.from({ length: BANKS }, () => []);
        for (let lane = 0; lane < LANES; ++lane) {
            for (let part = 0; part < words; ++part) {
                const word = lane * stride * words + part;
                banks[word % BANKS].push({ lane, word });
            }
        }
        return banks;
    };

    const picture = (banks) => {
        const SVG = 'http://www.w3.org/2000/svg';
        const highest = Math.max(...banks.map((lanes) => lanes.length), 4);
        const height = ROW * highest + 22;
        const svg = document.createElementNS(SVG, 'svg');
        svg.setAttribute('viewBox', `0 0 ${CELL * BANKS} ${height}`);
        svg.setAttribute('aria-hidden', 'true'); // The sentence below says it.
        const add = (name, attributes, text = '') => {
            const made = document.createElementNS(SVG, name);
            for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
            made.textContent = text;
            svg.append(made);
        };
        banks.forEach((lanes, bank) => {
            const words = [...new Set(lanes.map(({ word }) => word))];
            lanes.forEach(({ lane, word }, place) => {
                const y = height - 20 - ROW * (place + 1);
                // Lanes that want the same word have the same shade.
                const shade = `banks-lab-${words.length > 1 ? (words.indexOf(word) % 4) + 1 : 0}`;
                add('rect', { class: shade, x: CELL * bank + 1, y: y + 1, width: CELL - 2, height: ROW - 2, rx: 2 });
                add('text', { x: CELL * (bank + 0.5), y: y + ROW - 4, 'text-anchor': 'middle' }, String(lane));
            });
            add('text', { class: 'banks-lab-axis', x: CELL * (bank + 0.5), y: height - 6, 'text-anchor': 'middle' }, String(bank));
        });
        return svg;
    };

    const sentence = (stride, bytes, banks) => {
        const took = WAVEFRONTS[bytes][stride];
        const ideal = stride === 0 ? Math.ceil(bytes / 8) : bytes / 4;
        const fullest = Math.max(...banks.map((lanes) => new Set(lanes.map(({ word }) => word)).size));
        const used = banks.filter((lanes) => lanes.length > 0).length;
        const conflicts = took - ideal;
        return `A warp uses ${used} of ${BANKS} banks, and the fullest is asked for ${fullest} different word${fullest === 1 ? '' : 's'}. `
            + `That takes ${took} wavefront${took === 1 ? '' : 's'}; ${ideal} would be ideal, so there ${conflicts === 1 ? 'is' : 'are'} `
            + `${conflicts === 0 ? 'no' : conflicts} bank conflict${conflicts === 1 ? '' : 's'}.`;
    };

    const build = (place) => {
        const bytes = element('select', {});
        for (const size of Object.keys(WAVEFRONTS)) bytes.append(element('option', { value: size }, `${size} bytes`));
        const pattern = element('select', {});
        pattern.append(element('option', { value: 'stride' }, 'data[lane * stride]'));
        pattern.append(element('option', { value: 'column' }, 'a column of tile[32][32 + padding]'));
        const number = element('input', { type: 'range', min: '0', max: '33', value: '2' });
        const name = element('span');
        const shown = element('output');
        const says = element('p', { role: 'status' });
        const figure = element('div');

        const update = () => {
            const isColumn = pattern.value === 'column';
            number.max = isColumn ? '4' : '33';
            const stride = Number(number.value) + (isColumn ? 32 : 0);
            name.textContent = isColumn ? 'padding ' : 'stride ';
            shown.textContent = number.value;
            const banks = wanted(stride, Number(bytes.value));
            figure.replaceChildren(picture(banks));
            says.textContent = sentence(stride, Number(bytes.value), banks);
        };
        for (const input of [bytes, pattern, number]) input.addEventListener('input', update);
        place.replaceChildren( // What the page shows without scripts goes.
            element('p', { class: 'lab-controls' },
                element('label', {}, 'read ', pattern), element('label', {}, name, number, ' ', shown),
                element('label', {}, 'elements of ', bytes)),
            figure, says,
            element('p', { class: 'lab-note' }, 'Numbers in boxes are lanes, numbers below are banks. In a bank, lanes of one shade want the same word.'));
        update();
    };

    document.querySelectorAll('.banks-lab').forEach(build);
})();
