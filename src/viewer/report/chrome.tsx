// What is around the contents of a report: the theme, buttons that copy a digest, the list of contents.
import { copyToClipboard } from '../kit/clipboard.tsx';
import { keepText, keptText } from '../kit/kept-text.tsx';
import { tuning } from '../tuning.js';

const themes = ['auto', 'light', 'dark'] as const;
const themeKey = 'drillyard-theme';

export function startTheme(toggle: HTMLElement | null): void {
  if (toggle === null) return;
  const kept = keptText('localStorage', themeKey);
  let theme = themes.find((one) => one === kept) ?? 'auto';
  const apply = (): void => {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    toggle.textContent = `Theme: ${theme}`;
  };
  toggle.hidden = false;
  toggle.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'auto';
    keepText('localStorage', themeKey, theme);
    apply();
  });
  apply();
}

export function startCopying(): void {
  for (const code of document.querySelectorAll<HTMLElement>('.copy')) {
    const text = code.dataset.copy ?? '';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy-button';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${text}`);
    button.addEventListener('click', () => {
      const say = (words: string): void => {
        button.textContent = words;
        setTimeout(() => {
          button.textContent = 'Copy';
        }, tuning.copiedShownMs);
      };
      copyToClipboard(text).then(
        () => say('Copied'),
        () => say('Select and copy'),
      );
    });
    code.after(button);
  }
}

/** Shows the contents of sections that the script fills, and marks the section in view. */
export function startContents(): void {
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.contents a')) {
    const section = document.querySelector<HTMLElement>(link.hash);
    if (link.parentElement !== null) link.parentElement.hidden = section === null || section.hidden;
    if (section !== null) links.set(section, link);
  }
  const seen = new Set<Element>();
  const observer = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      const current = [...links.keys()].find((section) => seen.has(section));
      for (const [section, link] of links) link.toggleAttribute('aria-current', section === current);
    },
    { rootMargin: '-10% 0px -60% 0px' },
  );
  for (const section of links.keys()) observer.observe(section);
}
