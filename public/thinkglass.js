// What a stylesheet cannot do: theme before the first paint, the page's language, and thinking that keeps up with
// itself. Loaded before the app; knows its class names and nothing else of it.
(() => {
  const root = document.documentElement;
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

  // The newest line of a running step stays in view while the reader is at its end; who scrolls up is left in peace.
  const BOX = '.ai-message [role="region"]';
  const MOMENT = 1000;
  const readingBack = new WeakSet();
  const lastTop = new WeakMap();
  let lastTouch = -MOMENT;

  const boxOf = (trigger) =>
    document.getElementById(trigger.getAttribute('aria-controls'))?.firstElementChild?.firstElementChild;

  function noteScroll({ target, timeStamp }) {
    if (!target.closest?.(BOX)) return;
    const { scrollTop, scrollHeight, clientHeight } = target;
    const before = lastTop.get(target) ?? 0;
    const isReader = timeStamp - lastTouch < MOMENT; // else the text moved of itself
    if (isReader && scrollTop < before) readingBack.add(target);
    // A boxful from the end is near enough: who hurries after fast text never quite reaches it.
    else if (scrollTop > before && scrollHeight - scrollTop <= 2 * clientHeight) readingBack.delete(target);
    lastTop.set(target, scrollTop);
    target.toggleAttribute('data-scrolled', scrollTop > 0);
  }

  function noteTouch({ target, timeStamp }) {
    if (target.closest?.(BOX)) lastTouch = timeStamp;
  }

  const watching = { capture: true, passive: true };
  document.addEventListener('scroll', noteScroll, watching);
  for (const touch of ['wheel', 'touchmove', 'pointerdown', 'keydown']) document.addEventListener(touch, noteTouch, watching);

  let isPlanned = false;
  function follow() {
    isPlanned = false;
    for (const trigger of document.querySelectorAll('button.loading-shimmer[aria-expanded="true"]')) {
      const box = boxOf(trigger);
      if (box && !readingBack.has(box)) box.scrollTop = box.scrollHeight;
    }
  }

  new MutationObserver(() => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(follow);
  }).observe(root, { childList: true, subtree: true, characterData: true });
})();
