/** The footer of each page of a PDF. Chromium fills in the page numbers. */
import { toHtml } from '../../../html/markup.ts'
import { plain } from './text.ts'

const style = {
  width: '100%',
  margin: '0 0.6in',
  display: 'flex',
  justifyContent: 'space-between',
  gap: '2em',
  fontFamily: 'sans-serif',
  fontSize: '7.5pt',
  color: '#5d5966',
}

export const footerHtml = (title: string, agency?: string): string =>
  toHtml(
    <div style={style}>
      <span>{plain(agency === undefined ? title : `${agency} – ${title}`)}</span>
      <span>
        <span class="pageNumber" /> / <span class="totalPages" />
      </span>
    </div>,
  )
