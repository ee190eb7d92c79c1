// Every page of the built book in light and dark, on a phone and on a desk: accessibility, what sticks out, and pictures. And a
// class's report with the pages of two students, on paper, too.
'use strict';

const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const puppeteer = require('puppeteer-core');
const play = require('./play.cjs');

const BOOK = path.resolve('book/book');
const CLASS = path.resolve('target/pages/class/results');
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
// Pages that mdBook makes besides those of the summary, and that no reader reads from end to end.
const NOT_READ = ['404.html', 'print.html', 'toc.html'];
const FORMS = [['phone', 390, 844], ['desk', 1280, 900]];
const THEMES = ['light', 'navy'];
// What A4 has between margins of 10 mm, at 96 dots an inch: the report asks for a sheet on its side.
const PAPER = { 'report.html': ['paper', 1046, 718] };
const UPRIGHT = ['paper', 718, 1046];
// A student, the course's exercises, the sum.
const COLUMNS = fs.readdirSync('exercises').length + 2;

const options = process.argv.slice(2);
const at = options.indexOf('--pictures');
const pictures = at >= 0 ? options.splice(at, 2)[1] : undefined;

const ofTheBook = () => {
    const all = fs.readdirSync(BOOK, { recursive: true }).filter((name) => name.endsWith('.html'));
    return all.filter((name) => !NOT_READ.includes(name)).sort().map((name) => ({ name, file: path.join(BOOK, name), forms: FORMS }));
};

// The report, and the students of whom there is least and most to say.
const ofTheClass = () => {
    const size = (name) => fs.statSync(path.join(CLASS, name)).size;
    const students = fs.readdirSync(path.join(CLASS, 'students')).filter((name) => name.endsWith('.html')).map((name) => `students/${name}`);
    students.sort((one, other) => size(one) - size(other));
    if (students.length < 2) throw new Error(`${CLASS} has ${students.length} pages of students`);
    return ['report.html', students[0], students.at(-1)].map((name) => ({
        name: `class/${name}`, file: path.join(CLASS, name), forms: [...FORMS, PAPER[name] ?? UPRIGHT],
    }));
};

const pages = () => {
    const read = [...ofTheBook(), ...ofTheClass()];
    const wanted = read.filter(({ name }) => options.length === 0 || options.some((part) => name.includes(part)));
    if (wanted.length === 0) throw new Error(`no page of ${read.length} has ${options.join(' or ')} in its name`);
    return wanted;
};

// Runs in the page: what reaches beyond the window where nothing scrolls it.
const sticksOut = () => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element) => element && (['auto', 'scroll'].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const out = [...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > width + 1 && !scrolls(element));
    return out.slice(0, 3).map((element) => `${element.tagName.toLowerCase()} ${element.textContent.trim().slice(0, 40)}`);
};

const look = async (browser, { name, file }, theme, [form, width, height]) => {
    const page = await browser.newPage();
    const isDark = theme !== 'light';
    const wrong = [];
    page.on('pageerror', (error) => wrong.push(`script: ${error.message}`));
    await page.setViewport({ width, height });
    // The book has a theme of its own; a class's pages have the system's.
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }]);
    await page.emulateMediaType(form === 'paper' ? 'print' : 'screen');
    await page.evaluateOnNewDocument((theme) => localStorage.setItem('mdbook-theme', theme), theme);
    await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
    await page.evaluate(() => document.querySelectorAll('details').forEach((details) => { details.open = true; }));
    const missing = await page.evaluate(async () => {
        const images = [...document.images];
        images.forEach((image) => { image.loading = 'eager'; });
        await Promise.all(images.map((image) => image.decode().catch(() => {})));
        return images.filter((image) => image.naturalWidth === 0).map((image) => image.currentSrc);
    });
    wrong.push(...missing.map((source) => `no image ${source}`));
    const shown = await page.evaluate(() => [...document.querySelectorAll('picture img')].map((image) => image.currentSrc));
    wrong.push(...shown.filter((source) => source.endsWith('-dark.svg') !== isDark).map((source) => `not of this theme: ${source}`));
    wrong.push(...(await page.evaluate(sticksOut)).map((what) => `beyond the window: ${what}`));
    if (name === 'class/report.html') {
        const columns = await page.evaluate(() => document.querySelectorAll('.grades thead th').length);
        if (columns !== COLUMNS) wrong.push(`${columns} columns of students, expected ${COLUMNS}`);
    }
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => axe.run(document, {
        runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
    }));
    for (const { id, help, nodes } of violations) {
        wrong.push(`${id} (${nodes.length}): ${help}\n      ${nodes.slice(0, 2).map((node) => node.html.slice(0, 150).replaceAll('\n', ' ')).join('\n      ')}`);
    }
    if (pictures) {
        fs.mkdirSync(pictures, { recursive: true });
        await page.screenshot({ path: path.join(pictures, `${name.replaceAll('/', '-').replace('.html', '')}-${form}-${theme}.png`), fullPage: true });
    }
    await page.close();
    return wrong;
};

const main = async () => {
    const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM, protocolTimeout: 600000, args: ['--no-sandbox', '--allow-file-access-from-files'] });
    let [looked, failed] = [0, 0];
    const tell = (what, wrong) => {
        looked += 1;
        if (wrong.length === 0) return;
        failed += 1;
        console.log(`${what}\n    ${wrong.join('\n    ')}`);
    };
    for (const each of pages()) {
        for (const form of each.forms) {
            // Paper is white.
            for (const theme of form[0] === 'paper' ? ['light'] : THEMES) tell(`${each.name}, ${form[0]}, ${theme}`, await look(browser, each, theme, form));
        }
    }
    for (const [what, test] of Object.entries(play)) {
        const page = await browser.newPage();
        tell(what, await test(page, (name) => page.goto(pathToFileURL(path.join(BOOK, name)).href, { waitUntil: 'load' })).then(() => [], (error) => [error.message]));
        await page.close();
    }
    await browser.close();
    console.log(`${looked - failed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
};

main().catch((error) => {
    console.error(error);
    process.exit(2); // The browser ends with it.
});
