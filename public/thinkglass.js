// What has to be settled before the first paint: the theme and the page's language. Loaded before the app; the rest of
// what a stylesheet cannot do stands in scripts/, a file for each topic.
(() => {
  const root = document.documentElement;
  const here = document.currentScript.src;
  // The rest of what the page needs can wait until it is drawn.
  for (const topic of ['sidebar', 'steps', 'arrow', 'names', 'announce', 'composer', 'copy', 'keys', 'save']) import(new URL(`scripts/${topic}.js`, here).href);

  const THEME = 'vite-ui-theme';
  const darkness = matchMedia('(prefers-color-scheme: dark)');

  root.lang = navigator.language || 'en';

  // Chainlit knows the choice "system" but cannot be told to begin with it, and does not notice the evening.
  if (!localStorage.getItem(THEME)) localStorage.setItem(THEME, 'system');

  function paint() {
    const chosen = localStorage.getItem(THEME);
    const theme = chosen === 'system' ? (darkness.matches ? 'dark' : 'light') : chosen;
    root.classList.remove('light', 'dark');
    root.classList.add(theme);
    for (const [name, value] of Object.entries(window.theme?.[theme] ?? {})) root.style.setProperty(name, value);
  }
  paint();
  darkness.addEventListener('change', paint);
})();
