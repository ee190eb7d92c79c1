// What mdBook's pages lack for readers with a keyboard or a screen reader.
'use strict';

(() => {
    // What opens the list of chapters is a label of a hidden box: no key reaches it. A button in its place does the same.
    const label = document.getElementById('mdbook-sidebar-toggle');
    const box = document.getElementById('mdbook-sidebar-toggle-anchor');
    if (label && box) {
        const button = document.createElement('button');
        for (const { name, value } of label.attributes) if (name !== 'for') button.setAttribute(name, value);
        button.type = 'button';
        button.append(...label.childNodes);
        label.replaceWith(button);
        const follow = () => button.setAttribute('aria-expanded', String(box.checked));
        button.addEventListener('click', () => box.click());
        box.addEventListener('change', follow);
        follow();
    }
    // The bar it is in is the page's banner.
    document.getElementById('mdbook-menu-bar')?.setAttribute('role', 'banner');

    // What scrolls sideways can be scrolled by keys.
    const reach = () => {
        for (const box of document.querySelectorAll('main :is(.table-wrapper, figure, pre > code, p, div)')) {
            const scrolls = box.scrollWidth > box.clientWidth && ['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
            if (scrolls) box.tabIndex = 0;
            else if (box.tabIndex === 0 && !box.getAttribute('role')) box.removeAttribute('tabindex');
        }
    };
    window.addEventListener('load', reach);
    window.addEventListener('resize', reach);
    document.addEventListener('toggle', reach, true); // What was folded has a width now.
})();
