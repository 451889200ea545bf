/**
 * Runs in the hidden page whose clipboard events the agent handles. `given` is the content that
 * will be copied, `taken` the content that was pasted, `kept` the previous content.
 */
type ClipboardContent = Record<string, string>

const none = (): ClipboardContent => ({ 'text/plain': '' })
const page = { given: none(), taken: none(), kept: none() }

export function serveClipboard(): void {
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
  page.given = { 'text/plain': text }
}

export function giveKept(): void {
  page.given = page.kept
}

export function keepTaken(): void {
  page.kept = page.taken
}

export function forgetTaken(): void {
  page.taken = none()
}

export const takenText = () => page.taken['text/plain'] ?? ''

export const takenBytes = () => new Blob([takenText()]).size
