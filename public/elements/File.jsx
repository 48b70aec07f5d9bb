// A file of the chat's workspace: what it is, its first lines, and the way to have it.
import { useRecoilValue } from 'recoil';
import { Download, File as AnyFile, FileArchive, FileCode, FileImage, FileJson, FileSpreadsheet, FileText } from 'lucide-react';
import { elementState } from '@chainlit/react-client';

const ICONS = [
  [/csv|spreadsheet|excel/, FileSpreadsheet], [/json/, FileJson], [/^image\//, FileImage],
  [/zip|tar|compressed/, FileArchive], [/python|javascript|html|xml|x-sh/, FileCode], [/^text\/|pdf|document/, FileText]
];

export default function File() {
  const url = useRecoilValue(elementState).find((element) => element.id === props.held)?.url;
  const [, Icon] = ICONS.find(([kind]) => kind.test(props.mediaType)) ?? [null, AnyFile];
  const { download, preview } = props.words;
  return (
    <section className="tg-card tg-file" aria-label={props.name}>
      <header>
        <Icon className="tg-kind" aria-hidden="true" />
        <div>
          <p className="tg-title">{props.name}</p>
          <p className="tg-quiet">{props.about}</p>
        </div>
        {url ? (
          <a className="tg-tool" href={url} download={props.name} aria-label={`${download}: ${props.name}`} title={download}>
            <Download aria-hidden="true" />
          </a>
        ) : null}
      </header>
      {props.preview ? <pre tabIndex={0} role="group" aria-label={preview}>{props.preview}</pre> : null}
    </section>
  );
}
