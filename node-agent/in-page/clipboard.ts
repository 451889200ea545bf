/**
 * Runs in the hidden page whose clipboard events the agent handles. `given` is the content that
 * will be copied, `taken` the content that was pasted, `kept` the previous content.
 */
type ClipboardContent = Record<string, string>

interface ClipboardPage {
  given: ClipboardContent
  taken: ClipboardContent
  kept: ClipboardContent
}

/** The global object of the isolated world. */
export const clipboardPage = () => globalThis as unknown as ClipboardPage

export function serveClipboard(): void {
  const page = clipboardPage()
  const none = { 'text/plain': '' }
  Object.assign(page, { given: none, taken: none, kept: none })
  addEventListener('copy', (event) => {
    for (const [type, text] of Object.entries(page.given)) event.clipboardData?.setData(type, text)
    event.preventDefault()
  })
  addEventListener('paste', (event) => {
    const data = event.clipboardData
    for (const type of ['text/plain', 'text/html']) {
      if (data?.types.includes(type)) page.taken[type] = data.getData(type)
    }
    event.preventDefault()
  })
}

export function giveText(text: string): void {
  clipboardPage().given = { 'text/plain': text }
}

export function giveKept(): void {
  clipboardPage().given = clipboardPage().kept
}

export function keepTaken(): void {
  clipboardPage().kept = clipboardPage().taken
}

export function forgetTaken(): void {
  clipboardPage().taken = { 'text/plain': '' }
}

export const takenText = () => clipboardPage().taken['text/plain'] ?? ''

export const takenBytes = () => new Blob([takenText()]).size
