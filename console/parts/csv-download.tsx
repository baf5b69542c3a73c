/** Buttons that save a whole listing as CSV, for programs or for spreadsheets. Its times are of the reader's zone, as on the screen. */
import { useState } from 'preact/hooks';
import { download } from '../api/download.ts';
import { ErrorNotice } from './error-notice.tsx';
import { zoneName } from './time.tsx';

interface CsvDownloadProps {
  /** The call that gives the listing, such as `GET /orders`. */
  readonly from: string;
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query: Readonly<Record<string, string | number | undefined>>;
  /** Words of the file's name; empty ones are left out. */
  readonly name: readonly (string | number)[];
}

export function CsvDownload({ from, path, query, name }: CsvDownloadProps) {
  const [failure, setFailure] = useState<unknown>(undefined);
  const [isRunning, setRunning] = useState(false);
  const begin = async (form: { readonly excel?: true }) => {
    setRunning(true);
    setFailure(undefined);
    const words = [...name, form.excel === true ? 'excel' : ''].filter((part) => part !== '');
    const asked = { ...query, ...form, timeZone: zoneName() };
    const given = { ...(path && { path }), query: asked, headers: { accept: 'text/csv' } };
    await download(from, given, `${words.join('-')}.csv`).catch(setFailure);
    setRunning(false);
  };
  const times = `Times of ${zoneName()}, with what its clocks are ahead of UTC`;
  return (
    <>
      {failure !== undefined && <ErrorNotice failure={failure} />}
      <button type="button" class="small" disabled={isRunning} title={times} onClick={() => void begin({})}>
        Download CSV
      </button>
      <button
        type="button"
        class="small"
        disabled={isRunning}
        title={`${times}. Opens as it is: with a byte order mark, and texts that stay texts`}
        onClick={() => void begin({ excel: true })}
      >
        CSV for spreadsheets
      </button>
    </>
  );
}
