// What is around the contents: theme, copy buttons, the contents list, colored values.
import { button } from './dom.mjs';
import { colorJson } from './json-view.mjs';

const themes = ['auto', 'light', 'dark'];

export function startTheme(toggle) {
  let theme = remembered();
  const apply = () => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    toggle.textContent = `Theme: ${theme}`;
  };
  toggle.hidden = false;
  toggle.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    remember(theme);
    apply();
  });
  apply();
}

/** A page from disk may have no storage; then the theme lasts as long as the page. */
function remembered() {
  try {
    const theme = localStorage.getItem('drillyard-theme');
    return themes.includes(theme) ? theme : 'auto';
  } catch {
    return 'auto';
  }
}

function remember(theme) {
  try {
    localStorage.setItem('drillyard-theme', theme);
  } catch {
    // See `remembered`.
  }
}

export function startCopying() {
  for (const code of document.querySelectorAll('.copy')) {
    const copy = button(
      'Copy',
      async () => {
        const done = await copied(code.dataset.copy);
        copy.textContent = done ? 'Copied' : 'Select and copy';
        setTimeout(() => (copy.textContent = 'Copy'), 1500);
      },
      { class: 'copy-button', 'aria-label': `Copy ${code.dataset.copy}` },
    );
    code.after(copy);
  }
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function colorValues() {
  for (const block of document.querySelectorAll('pre.json')) colorJson(block);
}

/** Shows the contents of scripted sections that came to life, and marks the section in view. */
export function startContents() {
  const links = new Map();
  for (const link of document.querySelectorAll('.contents a')) {
    const section = document.querySelector(link.hash);
    link.parentElement.hidden = section === null || section.hidden;
    if (section !== null) links.set(section, link);
  }
  const seen = new Set();
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) isIntersecting ? seen.add(target) : seen.delete(target);
      const current = [...links.keys()].find((section) => seen.has(section));
      for (const [section, link] of links) link.toggleAttribute('aria-current', section === current);
    },
    { rootMargin: '-10% 0px -60% 0px' },
  );
  for (const section of links.keys()) observer.observe(section);
}
