// The first rows of a table, which scroll in themselves and can be taken along as CSV.
import { Download } from 'lucide-react';

// Four digits behind the point are enough to read by; the CSV has them all.
const rounded = (number) => String(Number(Math.abs(number) < 1 ? number.toPrecision(4) : number.toFixed(4)));
const shown = (cell) => (typeof cell === 'number' ? rounded(cell) : cell ?? '');

// A spreadsheet would take such a text for a formula and run it.
const isFormula = (cell) => typeof cell === 'string' && /^[=+\-@＝＋－＠\t\r\n]/.test(cell);

function quoted(cell) {
  const text = `${isFormula(cell) ? "'" : ''}${cell ?? ''}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function saveAsCsv() {
  const lines = [props.columns, ...props.rows].map((row) => row.map(quoted).join(','));
  // The mark at the front tells spreadsheets that the file is UTF-8.
  const url = URL.createObjectURL(new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href: url, download: props.fileName }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export default function Table() {
  const side = (column) => (props.numeric[column] ? 'tg-number' : undefined);
  return (
    <div className="tg-card tg-table">
      <header>
        <div>
          <p className="tg-title">{props.title}</p>
          <p className="tg-quiet">{props.amount}</p>
        </div>
        <button type="button" className="tg-tool" onClick={saveAsCsv} aria-label={props.download} title={props.download}>
          <Download aria-hidden="true" />
        </button>
      </header>
      <div className="tg-scroll" tabIndex={0} role="group" aria-label={props.title}>
        <table>
          <thead>
            <tr>{props.columns.map((name, at) => <th key={at} scope="col" className={side(at)}>{name}</th>)}</tr>
          </thead>
          <tbody>
            {props.rows.map((row, line) => (
              <tr key={line}>{row.map((cell, at) => <td key={at} className={side(at)}>{shown(cell)}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
