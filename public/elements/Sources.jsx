// What a search found, or the page that was read, as cards inside the tool's step. All of it is text by strangers.
import { BookOpen, ExternalLink } from 'lucide-react';

const isWeb = (url) => /^https?:\/\//i.test(url);

function Source({ source }) {
  return (
    <li className="tg-source" data-read={source.wasRead ? '' : undefined}>
      <span className="tg-mark" aria-hidden="true">{source.number}</span>
      <div>
        <p className="tg-title">
          {isWeb(source.href) ? (
            <a href={source.href} target="_blank" rel="noopener noreferrer nofollow">
              {source.title}
              <ExternalLink aria-hidden="true" />
            </a>
          ) : source.title}
        </p>
        <p className="tg-quiet">
          {source.wasRead ? <BookOpen aria-hidden="true" /> : null}
          {source.site}
          {source.wasRead ? ` · ${source.origin}` : ''}
        </p>
        {source.text ? <p className="tg-excerpt" tabIndex={source.wasRead ? 0 : undefined}>{source.text}</p> : null}
      </div>
    </li>
  );
}

export default function Sources() {
  return (
    <ul className="tg-sources" aria-label={props.words.sources}>
      {props.sources.map((source) => <Source key={source.number} source={source} />)}
    </ul>
  );
}
