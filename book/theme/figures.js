// Figures follow the theme that the reader chose here. Without scripts they follow what the reader's system prefers.
'use strict';

(() => {
    const DARK = ['navy', 'coal', 'ayu'];
    const page = document.documentElement;

    const follow = () => {
        const media = DARK.some((theme) => page.classList.contains(theme)) ? 'screen' : 'not all';
        for (const source of document.querySelectorAll('picture > source')) {
            // On the page of the whole book only the image's address is right.
            source.srcset = source.parentElement.querySelector('img').src.replace(/\.svg$/, '-dark.svg');
            source.media = media;
        }
    };

    new MutationObserver(follow).observe(page, { attributes: true, attributeFilter: ['class'] });
    follow();
})();
