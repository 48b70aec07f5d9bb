// The sources that an answer cites: chips below it, and the marks in its text, open what the tool returned.
import { useEffect, useMemo, useRef, useState } from 'react';
import { BookOpen, ExternalLink, X } from 'lucide-react';
import { Popover, PopoverContent, PopoverTrigger } from '@/components/ui/popover';

const isWeb = (url) => /^https?:\/\//i.test(url);

// The answer's links come from Chainlit's Markdown, which may draw them anew at any time.
function useMarks(home, sources, open) {
  useEffect(() => {
    const answer = home.current.closest('.message-content');
    const byNumber = new Map(sources.map((source) => [String(source.number), source]));
    const sourceOf = (link) => {
      const source = byNumber.get(link?.textContent);
      return source?.href === link?.getAttribute('href') ? source : undefined;
    };
    function dress() {
      for (const link of answer.querySelectorAll('a[href]:not(.tg-cite)')) {
        const source = sourceOf(link);
        if (!source || home.current?.contains(link)) continue;
        link.classList.add('tg-cite');
        link.toggleAttribute('data-read', source.wasRead);
        const traits = { rel: 'noopener noreferrer nofollow', role: 'button', 'aria-haspopup': 'dialog' };
        for (const [name, value] of Object.entries(traits)) link.setAttribute(name, value);
        for (const name of ['aria-label', 'title']) link.setAttribute(name, source.label);
      }
    }
    function press(event) {
      const link = event.target.closest?.('a.tg-cite');
      const isKey = event.type === 'keydown';
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || (isKey && event.key !== ' ')) return;
      event.preventDefault();
      open(sourceOf(link), link);
    }
    dress();
    const observer = new MutationObserver(dress);
    observer.observe(answer, { childList: true, subtree: true });
    for (const kind of ['click', 'keydown']) answer.addEventListener(kind, press);
    return () => {
      observer.disconnect();
      for (const kind of ['click', 'keydown']) answer.removeEventListener(kind, press);
    };
  }, [sources]);
}

function Passage({ source, words, close }) {
  return (
    <>
      <header>
        <span className="tg-mark" aria-hidden="true">{source.number}</span>
        <div>
          <h2 className="tg-title">{source.title}</h2>
          <p className="tg-quiet">
            {source.wasRead ? <BookOpen aria-hidden="true" /> : null}
            {source.site} · {source.origin}
          </p>
        </div>
        <button type="button" className="tg-tool" onClick={close} aria-label={words.close} title={words.close}>
          <X aria-hidden="true" />
        </button>
      </header>
      {source.text ? <p className="tg-passage" tabIndex={0}>{source.text}</p> : null}
      {isWeb(source.href) ? (
        <a className="tg-away" href={source.href} target="_blank" rel="noopener noreferrer nofollow">
          {words.open}
          <ExternalLink aria-hidden="true" />
        </a>
      ) : null}
    </>
  );
}

export default function Citations() {
  const home = useRef(null);
  const opened = useRef(null);
  const [shown, setShown] = useState(null);
  const sources = useMemo(() => props.sources, []);
  const close = () => setShown(null);
  function open(source, opener) {
    const at = opener.getBoundingClientRect();
    const from = home.current.getBoundingClientRect();
    const place = { left: at.left - from.left, top: at.top - from.top, width: at.width, height: at.height };
    opened.current = opener;
    setShown({ source, place });
  }
  useMarks(home, sources, open);
  function backToOpener(event) {
    event.preventDefault();
    opened.current?.focus({ preventScroll: true });
  }
  return (
    <nav ref={home} className="tg-citations" aria-label={props.words.sources}>
      {sources.map((source) => (
        <button key={source.number} type="button" className="tg-chip" aria-label={source.label} aria-haspopup="dialog"
          title={source.title} onClick={(event) => open(source, event.currentTarget)}>
          <span className="tg-mark">{source.number}</span>
          {source.wasRead ? <BookOpen aria-hidden="true" /> : null}
          <span className="tg-site">{source.site || source.title}</span>
        </button>
      ))}
      <Popover open={Boolean(shown)} onOpenChange={(isOpen) => isOpen || close()}>
        <PopoverTrigger asChild>
          <span className="tg-anchor" style={shown?.place} aria-hidden="true" />
        </PopoverTrigger>
        <PopoverContent className="tg-popover" align="start" sideOffset={6} collisionPadding={12}
          aria-label={shown?.source.label} onCloseAutoFocus={backToOpener}>
          {shown ? <Passage source={shown.source} words={props.words} close={close} /> : null}
        </PopoverContent>
      </Popover>
    </nav>
  );
}
