// The pictures to play with, driven as a reader would: by mouse, by keys, with and without motion.
'use strict';

const assert = require('assert');

const says = (page, lab) => page.$eval(`${lab} [role=status]`, (status) => status.textContent);

// 05: a stride of 32 is the worst, padding mends a column.
const banks = async (page, open) => {
    await open('chapters/05-bank-conflicts.html');
    const lab = '.banks-lab';
    assert.match(await says(page, lab), /takes 2 wavefronts; 1 would be ideal/, 'stride 2, at the beginning');
    const set = (selector, value) => page.$eval(`${lab} ${selector}`, (input, value) => {
        input.value = value;
        input.dispatchEvent(new Event('input'));
    }, value);
    await set('input', '32');
    assert.match(await says(page, lab), /takes 32 wavefronts/);
    // By keys: one further is free.
    await page.focus(`${lab} input`);
    await page.keyboard.press('ArrowRight');
    assert.match(await says(page, lab), /takes 1 wavefront; .* no bank conflicts/);
    await set('select', 'column');
    await set('input', '0');
    assert.match(await says(page, lab), /takes 32 wavefronts/);
    await set('input', '1');
    assert.match(await says(page, lab), /takes 1 wavefront;/);
};

// 08: each barrier that is missing lets two accesses meet, and with both none do.
const tileLoop = async (page, open) => {
    const lab = '.tile-loop-lab';
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await open('chapters/08-matmul.html');
    const boxes = await page.$$(`${lab} input`);
    assert.equal(boxes.length, 2);
    const ask = async (first, second) => {
        for (const [box, wanted] of [[boxes[0], first], [boxes[1], second]]) {
            if (await box.evaluate((box) => box.checked) !== wanted) await box.click();
        }
        // Without motion the replay is at its end at once.
        await (await page.$$(`${lab} button`))[2].click();
        return says(page, lab);
    };
    const marked = () => page.$$eval(`${lab} .tile-loop-meets`, (rows) => rows.map((row) => row.textContent));
    assert.match(await ask(true, false), /writes element \d+ of tile_[ab] in round 2, while .* read it in round 1/);
    assert.equal((await marked()).length, 2);
    assert.match(await ask(false, true), /reads element \d+ of tile_[ab] in round 1, while .* write it in round 1/);
    assert.equal((await marked()).length, 2);
    assert.match(await ask(true, true), /finds no race/);
    assert.deepEqual(await marked(), []);
    // By keys, one step and back; the page stays.
    await boxes[1].click();
    await page.keyboard.press('ArrowRight');
    const stepped = await says(page, lab);
    assert.doesNotMatch(stepped, /^Both threads begin/);
    await page.keyboard.press('ArrowLeft');
    assert.match(await says(page, lab), /^Both threads begin/);
    assert.ok(page.url().includes('08-matmul'));
    // With motion it takes its time.
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'no-preference' }]);
    await (await page.$$(`${lab} button`))[2].click();
    assert.match(await says(page, lab), /^Both threads begin/);
    await page.waitForFunction((lab) => !document.querySelector(`${lab} [role=status]`).textContent.startsWith('Both threads begin'), { timeout: 5000 }, lab);
};

// The search, opened by its key: a word that a page has is found there, and one that no page has is found nowhere.
const search = async (page, open) => {
    await open('introduction.html');
    await page.keyboard.press('s');
    await page.waitForFunction(() => document.activeElement && document.activeElement.id === 'mdbook-searchbar', { timeout: 10000 });
    const header = () => page.$eval('#mdbook-searchresults-header', (header) => header.textContent);
    await page.keyboard.type('swizzle');
    await page.waitForFunction(() => document.querySelectorAll('#mdbook-searchresults a').length > 0, { timeout: 10000 });
    const found = await page.$$eval('#mdbook-searchresults a', (links) => links.map((link) => link.href));
    assert.ok(found.some((link) => link.includes('chapters/')), `swizzle: ${found.join(', ')}`);
    await page.$eval('#mdbook-searchbar', (bar) => { bar.value = ''; });
    await page.keyboard.type('qqqqzzzz');
    await page.waitForFunction(() => document.querySelector('#mdbook-searchresults-header').textContent.includes('qqqqzzzz'), { timeout: 10000 });
    assert.match(await header(), /^no search results/i);
};

module.exports = { '05, banks': banks, '08, the tile loop': tileLoop, 'the search': search };
