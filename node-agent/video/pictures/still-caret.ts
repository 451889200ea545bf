/**
 * Keeps the caret of a recorded page from blinking: two pictures a second, of nothing. A style of the document
 * does it, added again where it is missing, as after a navigation; a page could notice it. With a script for new
 * documents, which needs `Page.enable`, dialogs would wait for this connection.
 */
import type { CdpPipe } from '../../cdp/cdp.ts'

const expression = `if (getComputedStyle(document.documentElement).caretAnimation === 'auto') {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(':root { caret-animation: manual }')
  document.adoptedStyleSheets.push(sheet)
}`

/** Never rejects: a page that is busy, shows a dialog or has closed keeps its caret. */
export async function stillCaret(cdp: Pick<CdpPipe, 'send'>, sessionId: string): Promise<void> {
  const call = { expression, silent: true, returnByValue: true }
  await cdp.send('Runtime.evaluate', call, { sessionId }).catch(() => undefined)
}
