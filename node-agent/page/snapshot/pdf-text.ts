/**
 * The text of a PDF that a tab or a frame shows. Chromium's viewer draws it on a canvas and tells
 * accessibility nothing; what it has is "select all", whose text it gives to its own page. That
 * page is an extension of Chromium's, which pages of the web cannot reach.
 *
 * Entering presentation mode is what clears a selection, so that none is left for a person to see:
 * it is shown for a frame at most. A selection of the person's own goes too, once per document.
 */
import { type WalkedLine, snapshotFlags } from '../../in-page/snapshot/lines.ts'
import { cleanText } from '../../../runtime/lib/text/clean.ts'

/** The id of the viewer, which follows from Chromium's own key for it. */
const viewerOrigin = 'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/'

export const isPdfViewer = (url: string): boolean => url.startsWith(viewerOrigin)

export interface PdfDocument {
  /** Absent while it loads, or if it asks for a password. */
  readonly text?: string
  readonly state: 'loaded' | 'loading' | 'locked'
  readonly pages: number
  readonly title: string
}

/** Runs in the viewer's page. Its fields are private: a Chromium without them tells no text. */
export const readPdfExpression = `(async () => {
  const viewer = document.querySelector('pdf-viewer')
  const controller = viewer?.pluginController_
  const pages = viewer?.documentDimensions?.pageDimensions?.length ?? 0
  const title = String(viewer?.documentMetadata_?.title ?? '')
  if (!controller?.selectAll) return pages === 0 ? { state: 'loading', pages, title } : null
  if (viewer.showPasswordDialog_) return { state: 'locked', pages, title }
  if (viewer.loadState_ !== 'success') return { state: 'loading', pages, title }
  controller.selectAll()
  const { selectedText } = await controller.getSelectedText()
  const isPresenting = document.fullscreenElement !== null
  controller.setPresentationMode(!isPresenting)
  controller.setPresentationMode(isPresenting)
  return { state: 'loaded', pages, title, text: selectedText }
})()`

/** What is said of a PDF whose text is not there. */
const withoutText = {
  loaded: '(no text in it, as in a scan: take a screenshot)',
  loading: '(loading)',
  locked: '(asks for its password)',
}

/** A line about the document, and its text below. */
export function pdfLines(
  { text = '', state, pages, title }: PdfDocument,
  limits: { readonly linesMax: number; readonly charsMax: number },
): readonly WalkedLine[] {
  const texts = text
    .slice(0, limits.charsMax)
    .split(/\r?\n/)
    .map(cleanText)
    .filter((line) => line !== '')
  const shown = texts.slice(0, limits.linesMax)
  const rest = texts.length - shown.length
  const value = `${pages} ${pages === 1 ? 'page' : 'pages'}`
  const head = { role: 'pdf', name: title, value }
  const said = shown.length > 0 ? head : { ...head, states: withoutText[state] }
  const more = rest > 0 ? [`… ${rest} more lines: use find, or extract_text`] : []
  return [
    [0, snapshotFlags.inView | snapshotFlags.group, [said]],
    ...[...shown, ...more].map((line): WalkedLine => [1, snapshotFlags.inView, [line]]),
  ]
}
