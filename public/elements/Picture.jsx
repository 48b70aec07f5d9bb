// A picture that a tool made. Its bytes are an element of their own, which the chat keeps; here is how it is shown.
import { useRef } from 'react';
import { useRecoilValue } from 'recoil';
import { Download, Maximize2, X } from 'lucide-react';
import { elementState } from '@chainlit/react-client';

export default function Picture() {
  const dialog = useRef(null);
  const url = useRecoilValue(elementState).find((element) => element.id === props.held)?.url;
  if (!url) return null;
  const { openLarge, download, close } = props.words;
  const open = () => dialog.current.showModal();
  const closeAround = ({ target, currentTarget }) => {
    if (target.tagName !== 'IMG') currentTarget.close();
  };
  return (
    <figure className="tg-card tg-picture">
      <button type="button" className="tg-shown" onClick={open} aria-label={`${openLarge}: ${props.alt}`}>
        <img src={url} alt={props.alt} />
      </button>
      <figcaption>
        <span>{props.alt}</span>
        <button type="button" className="tg-tool" onClick={open} aria-label={openLarge} title={openLarge}>
          <Maximize2 aria-hidden="true" />
        </button>
        <a className="tg-tool" href={url} download={props.fileName} aria-label={download} title={download}>
          <Download aria-hidden="true" />
        </a>
      </figcaption>
      <dialog ref={dialog} className="tg-lightbox" aria-label={props.alt} onClick={closeAround}>
        <button type="button" className="tg-tool" aria-label={close} title={close}>
          <X aria-hidden="true" />
        </button>
        <img src={url} alt={props.alt} />
      </dialog>
    </figure>
  );
}
